/* The interface between compiled code and the runtime: the runtime table, parallel bodies, and the
 * one symbol of an artefact.
 *
 * Its version is separate from the plugin ABI's: an artefact compiled today must load in next
 * year's runtime. Compiled code never refers to a runtime function as a dynamic symbol; the loader
 * stores the table's address into the artefact. Tables only grow.
 */
#ifndef LATHE_ABI_KERNEL_H_
#define LATHE_ABI_KERNEL_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An artefact states the oldest ABI that has everything it uses. A runtime loads artefacts up to
 * its own ABI. */
#define LATHE_KERNEL_ABI_FIRST 1
#define LATHE_KERNEL_ABI_PARTS 2   /* lathe_artifact.parts */
#define LATHE_KERNEL_ABI_POLL 3    /* poll, parallel_on and thread_index of lathe_runtime_table */
#define LATHE_KERNEL_ABI_ENTRIES 3 /* lathe_artifact.entries */
#define LATHE_KERNEL_ABI 3         /* the newest */

/* Runs the part [begin, end) of a parallel loop. `closure` has 8-byte slots. Returns 0, or non-zero
 * after raising an error. */
typedef int32_t (*lathe_parallel_body)(void* closure, int64_t begin, int64_t end);

/* Every entry is thread-safe. Entries that can fail store the error in a thread-local slot and
 * return non-zero; the packed entry of a function moves the error into its `ret` by take_error. */
typedef struct lathe_runtime_table {
  uint64_t struct_size;
  /* Runs body over [0, extent) in parts, on the calling thread and the pool's. Nested calls run
   * serially. The error of a part becomes the caller's; parts that have not begun are then
   * skipped. */
  int32_t (*parallel)(lathe_parallel_body body, void* closure, int64_t extent);
  /* Scratch memory of the current thread, at least 64-byte aligned, freed in reverse order of
   * allocation: freeing a block also frees the blocks of that device and scope that the thread
   * allocated after it. NULL after raising an error. `scope` is a memory scope's name; "global" is
   * the ordinary one. */
  void* (*workspace_alloc)(int32_t device_type, int32_t device_id, uint64_t bytes,
                           const char* scope);
  int32_t (*workspace_free)(int32_t device_type, int32_t device_id, void* data);
  /* Stores an error and returns -1. `format` may contain {0} ... {7}, which are replaced by
   * values[i] printed by its kind; and {0:kind}, {0:dtype}, {0:device}, for which values[0] is an
   * integer: a lathe_value_kind, or the bytes of a DLDataType or DLDevice. A runtime that does not
   * know these three leaves them unchanged. */
  int32_t (*raise)(const char* name, const char* format, const lathe_value* values, int32_t n);
  /* Moves the thread's pending error into `ret` and returns -1. */
  int32_t (*take_error)(lathe_value* ret);
  /* Calls a function of the imported modules or the global registry by name. `cache` is a
   * zero-initialised word that the caller keeps for each call site. Compiled code cannot own
   * objects: if the function returns one, it is released, and `ret` keeps its kind with a null
   * payload. */
  int32_t (*call_packed)(const char* name, void** cache, const lathe_value* args, int32_t n,
                         lathe_value* ret);
  /* Makes a device current; called before work on the device (S38). */
  int32_t (*set_device)(int32_t device_type, int32_t device_id);
  /* Copies between devices (or within one) on the thread's current stream. */
  int32_t (*copy)(const DLTensor* from, DLTensor* to);
  /* LATHE_KERNEL_ABI_POLL: returns non-zero, with the error stored, if the calling thread must end
   * its work: it was cancelled, or its deadline has passed. Takes some nanoseconds; `parallel` and
   * `call_packed` check this, too. */
  int32_t (*poll)(void);
  /* Like `parallel`, on at most `threads` threads; 1 or less means the calling thread alone. */
  int32_t (*parallel_on)(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads);
  /* In a body that `parallel_on` runs: the number of the thread that runs it, from 0 and below the
   * number of threads. Two bodies that run at the same time have different numbers. */
  int32_t (*thread_index)(void);
} lathe_runtime_table;

typedef struct {
  const char* name;
  lathe_call call; /* `self` is ignored */
} lathe_artifact_function;

/* A function without checks, for callers that guarantee everything that the checked function
 * checks: types, ranks, device, matching extents, alignment, no null pointers. The function's
 * metadata ("unchecked") lists its buffers and sizes in order, and states the size of its
 * workspace. Each entry of `buffers` is the address of a tensor's first element; if the buffer
 * declares an element offset, which is then one of the sizes, it is the address of the tensor's
 * memory. `workspace` is aligned to 64 bytes and has "workspace" bytes and then, for each of
 * `threads` threads, "thread_workspace" bytes; NULL if that is 0 bytes in all. Parallel loops run
 * on at most `threads` threads. The function allocates nothing, and may run on several threads at
 * once, if each call has its own workspace. Returns 0, or non-zero with the error pending on the
 * calling thread (raise.h). */
typedef int32_t (*lathe_kernel_entry)(void* const* buffers, const int64_t* sizes, void* workspace,
                                      int32_t threads);

typedef struct {
  const char* name;
  lathe_kernel_entry call;
} lathe_artifact_entry;

/* The one exported symbol of an artefact, LATHE_ARTIFACT_SYMBOL, is a lathe_artifact. Everything it
 * points to is constant except `*table`, which the loader sets before the first call. */
#define LATHE_ARTIFACT_SYMBOL "lathe_artifact_v1"

/* A constant that an artefact's code does not contain is an undefined symbol: this prefix and the
 * 32 hexadecimal digits of the data's digest. The data is read-only and begins at a multiple of 64
 * bytes. */
#define LATHE_CONSTANT_PREFIX "lathe_constant_"

/* The name of a function that each artefact has in addition to its imports, for `call_packed`: it
 * takes a pointer to a constant (host memory that lives as long as the artefact) and its size in
 * bytes, and returns a pointer to a copy in the memory of the device that the thread made current
 * last (`set_device`). The copy is made at the first call for this constant and device, and lives
 * as long as the artefact. */
#define LATHE_DEVICE_CONSTANT "lathe.device_constant"

typedef struct lathe_artifact {
  uint32_t struct_size;
  uint32_t kernel_abi;               /* LATHE_KERNEL_ABI_FIRST, or the ABI of a member below */
  const lathe_runtime_table** table; /* may be NULL if it lists no functions */
  const lathe_artifact_function* functions;
  uint64_t num_functions;
  /* JSON: functions with argument types, target, compiler version, needed device kinds. */
  const char* metadata;
  uint64_t metadata_size;
  /* Imported (device) modules as runtime/module.h serializes them; NULL if none. */
  const unsigned char* imports;
  uint64_t imports_size;
  /* LATHE_KERNEL_ABI_PARTS: artefacts that were compiled separately and form one module with this
   * one. Their functions, imports and metadata come after its own, in order. Each has its own
   * `table`. */
  const struct lathe_artifact* const* parts;
  uint64_t num_parts;
  /* LATHE_KERNEL_ABI_ENTRIES, and only if struct_size includes them: entries without checks, for
   * functions that may also be in `functions`. Only the runtime's own executor of plans can reach
   * them. */
  const lathe_artifact_entry* entries;
  uint64_t num_entries;
  /* With any ABI, if struct_size includes them: all words that the code passes to `call_packed` as
   * `cache`, in one array. For an artefact that is linked into a program, they identify the
   * artefact whose imports a call uses. */
  void** call_sites;
  uint64_t num_call_sites;
} lathe_artifact;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_KERNEL_H_ */
