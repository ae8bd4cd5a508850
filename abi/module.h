/* Interface "lathe.module.1": loading and running compiled modules of one kind (a format of bytes).
 * Rules: plugin.h.
 *
 * A function of a module follows the calling convention of value.h. Tensors arrive as
 * LATHE_VALUE_DLTENSOR or as tensor objects. If the device has streams, the stream is an optional
 * last argument (LATHE_OBJECT_STREAM of that device); absent means the default stream. A function
 * with thread axes gets their extents, which the host code computed, after the arguments, in the
 * order that the module's metadata states.
 */
#ifndef LATHE_ABI_MODULE_H_
#define LATHE_ABI_MODULE_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_MODULE_INTERFACE "lathe.module.1"

/* The results of `probe`. */
typedef enum {
  LATHE_PROBE_OK = 0,        /* the bytes can be loaded here */
  LATHE_PROBE_RECOMPILE = 1, /* intact, but made for another version or device: compile again */
  LATHE_PROBE_REFUSE = 2     /* not a module of this kind, or damaged */
} lathe_probe_verdict;

typedef struct lathe_module_api {
  uint64_t struct_size;
  uint64_t flags; /* 0 */
  void* self;     /* first argument of probe and load */

  /* Checks the bytes without loading them. `*reason` is a string object, or NONE with
   * LATHE_PROBE_OK. Damaged bytes are not a failure: they give LATHE_PROBE_REFUSE. Absent: `load`
   * decides. */
  int (*probe)(void* self, const lathe_bytes* bytes, int32_t* verdict, lathe_value* reason);

  /* [required] Makes a module from bytes, which are borrowed. Any bytes must give success or an
   * error. Work on the device (uploading code) may be delayed until the first call of a function.
   * `*module` is dropped by `drop`, once. */
  int (*load)(void* self, const lathe_bytes* bytes, void** module, lathe_value* error);

  /* [required] `*result` is a function object, which keeps the module alive, or NONE if the module
   * has no function of that name. */
  int (*get_function)(void* module, const char* name, lathe_value* result);

  /* The bytes that `load` accepts; a bytes object. Absent: the module cannot be saved. */
  int (*save)(void* module, lathe_value* result);

  /* Text for people and tools; a string object or NONE. `what` is "metadata" (JSON: functions with
   * argument types), "formats" (space separated names), or one of those formats ("source", "asm",
   * ...). */
  int (*describe)(void* module, const char* what, lathe_value* result);

  /* [required] Releases the module. Functions from get_function stay valid. */
  void (*drop)(void* module);
} lathe_module_api;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_MODULE_H_ */
