/* What compiled code and the runtime agree on: the runtime table, parallel bodies, and an
 * artefact's one symbol.
 *
 * Versioned apart from the plugin ABI: an artefact compiled today must load in next year's runtime.
 * Compiled code never names a runtime function as a dynamic symbol; the loader stores the table's
 * address into the artefact. Tables only grow.
 */
#ifndef LATHE_ABI_KERNEL_H_
#define LATHE_ABI_KERNEL_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An artefact states the oldest ABI that has all it uses; a runtime loads it up to its own. */
#define LATHE_KERNEL_ABI_FIRST 1
#define LATHE_KERNEL_ABI_PARTS 2   /* lathe_artifact.parts */
#define LATHE_KERNEL_ABI_POLL 3    /* poll, parallel_on and thread_index of lathe_runtime_table */
#define LATHE_KERNEL_ABI_ENTRIES 3 /* lathe_artifact.entries */
#define LATHE_KERNEL_ABI 3         /* the newest */

/* Part [begin, end) of a parallel loop. `closure` holds 8-byte slots. Returns 0, or non-zero after
 * raising. */
typedef int32_t (*lathe_parallel_body)(void* closure, int64_t begin, int64_t end);

/* Every entry is thread-safe. Entries that can fail return non-zero after storing the error in a
 * thread-local slot; the packed entry of a function moves it into its `ret` by take_error. */
typedef struct lathe_runtime_table {
  uint64_t struct_size;
  /* Runs body over [0, extent) in parts, on the calling thread and the pool's. Nested calls run
   * serially. A part's error becomes the caller's; parts not yet begun are then skipped. */
  int32_t (*parallel)(lathe_parallel_body body, void* closure, int64_t extent);
  /* Scratch memory of the current thread, 64-byte aligned at least, freed in reverse order of
   * allocation: giving a block back gives back what the thread took after it of that device and
   * scope. NULL after raising. `scope` is a memory scope's name, "global" for the ordinary
   * one. */
  void* (*workspace_alloc)(int32_t device_type, int32_t device_id, uint64_t bytes,
                           const char* scope);
  int32_t (*workspace_free)(int32_t device_type, int32_t device_id, void* data);
  /* Stores an error and returns -1. `format` may hold {0} ... {7}, replaced by values[i] printed by
   * its kind; and {0:kind}, {0:dtype}, {0:device}, where values[0] is an integer: a
   * lathe_value_kind, or the bytes of a DLDataType or DLDevice. Runtimes that do not know these
   * three leave them as they stand. */
  int32_t (*raise)(const char* name, const char* format, const lathe_value* values, int32_t n);
  /* Moves the thread's pending error into `ret` and returns -1. */
  int32_t (*take_error)(lathe_value* ret);
  /* Calls a function of the imported modules or the global registry by name. `cache` is a
   * zero-initialised word that the caller keeps per call site. Compiled code cannot hold objects:
   * one that the function returns is released, and `ret` keeps its kind with a null payload. */
  int32_t (*call_packed)(const char* name, void** cache, const lathe_value* args, int32_t n,
                         lathe_value* ret);
  /* Makes a device current before device work (S38). */
  int32_t (*set_device)(int32_t device_type, int32_t device_id);
  /* Copies between devices (or within one) on the thread's current stream. */
  int32_t (*copy)(const DLTensor* from, DLTensor* to);
  /* LATHE_KERNEL_ABI_POLL: non-zero, with the error stored, where the calling thread is to end what
   * it does: somebody cancelled it, or its deadline has passed. Some nanoseconds; `parallel` and
   * `call_packed` look by themselves. */
  int32_t (*poll)(void);
  /* Like `parallel`, on at most so many threads; 1 or less is the calling thread alone. */
  int32_t (*parallel_on)(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads);
  /* In a body that `parallel_on` runs: which of its threads runs it, from 0 and below their number.
   * No two bodies that run at once have the same. */
  int32_t (*thread_index)(void);
} lathe_runtime_table;

typedef struct {
  const char* name;
  lathe_call call; /* `self` is ignored */
} lathe_artifact_function;

/* A function without checks, for callers that know all that the checked one asks: types, ranks,
 * device, extents that agree, alignment, no null pointers. Which buffers and sizes there are, in
 * which order, and how much workspace, is in the function's metadata ("unchecked"); buffers hold
 * the address of a tensor's first element (or of its memory, where the buffer declares an element
 * offset, which is one of the sizes then). `workspace` is aligned to 64 bytes and holds "workspace"
 * bytes and then, for each of `threads` threads, "thread_workspace" bytes; NULL where that is
 * nothing. Parallel loops run on at most `threads` threads. It allocates nothing, and may run on
 * several threads at once, each call with a workspace of its own. Returns 0, or non-zero with the
 * error pending on the calling thread (raise.h). */
typedef int32_t (*lathe_kernel_entry)(void* const* buffers, const int64_t* sizes, void* workspace,
                                      int32_t threads);

typedef struct {
  const char* name;
  lathe_kernel_entry call;
} lathe_artifact_entry;

/* The one exported symbol of an artefact, LATHE_ARTIFACT_SYMBOL, is a lathe_artifact. Everything it
 * points to is constant but `*table`, which the loader fills before the first call. */
#define LATHE_ARTIFACT_SYMBOL "lathe_artifact_v1"

/* Constants that an artefact's code does not hold are symbols that it leaves undefined: this and the
 * 32 hexadecimal digits of the data's digest. They are read-only and begin at a multiple of 64
 * bytes. */
#define LATHE_CONSTANT_PREFIX "lathe_constant_"

typedef struct lathe_artifact {
  uint32_t struct_size;
  uint32_t kernel_abi;               /* LATHE_KERNEL_ABI_FIRST, or what the members below name */
  const lathe_runtime_table** table; /* may be NULL where it lists no functions */
  const lathe_artifact_function* functions;
  uint64_t num_functions;
  /* JSON: functions with argument types, target, compiler version, needed device kinds. */
  const char* metadata;
  uint64_t metadata_size;
  /* Imported (device) modules as runtime/module.h serializes them; NULL if none. */
  const unsigned char* imports;
  uint64_t imports_size;
  /* LATHE_KERNEL_ABI_PARTS: artefacts that were compiled alone and are one module with this one.
   * Their functions, imports and metadata follow its own, in order. Each has a place of its own for
   * the table. */
  const struct lathe_artifact* const* parts;
  uint64_t num_parts;
  /* LATHE_KERNEL_ABI_ENTRIES, and only where struct_size reaches so far: entries without checks, of
   * functions that `functions` may list as well. Nobody but the runtime's own executor of plans
   * gets at them. */
  const lathe_artifact_entry* entries;
  uint64_t num_entries;
  /* Of any ABI, where struct_size reaches so far: all words that the code gives to `call_packed` as
   * `cache`, side by side. Where an artefact is linked into a program, they tell whose imports a
   * call asks for. */
  void** call_sites;
  uint64_t num_call_sites;
} lathe_artifact;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_KERNEL_H_ */
