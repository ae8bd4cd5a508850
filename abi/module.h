/* Interface "lathe.module.1": loading and running compiled modules of one kind (a format of bytes).
 * Rules: plugin.h.
 *
 * A function of a module follows the calling convention of value.h. Tensors arrive as
 * LATHE_VALUE_DLTENSOR or as tensor objects. Where the device has streams, the stream is an
 * optional last argument (LATHE_OBJECT_STREAM of that device); absent means the default stream.
 * Functions that need thread axes get the extents as the host code computed them, after the
 * arguments, in the order that the module's metadata states.
 */
#ifndef LATHE_ABI_MODULE_H_
#define LATHE_ABI_MODULE_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_MODULE_INTERFACE "lathe.module.1"

/* What `probe` says of some bytes. */
typedef enum {
  LATHE_PROBE_OK = 0,        /* will load here */
  LATHE_PROBE_RECOMPILE = 1, /* sound, but made for another version or device: compile again */
  LATHE_PROBE_REFUSE = 2     /* not a module of this kind, or damaged */
} lathe_probe_verdict;

typedef struct lathe_module_api {
  uint64_t struct_size;
  uint64_t flags; /* 0 */
  void* self;     /* first argument of probe and load */

  /* Looks at the bytes without loading them. `*reason` is a string object, or NONE with
   * LATHE_PROBE_OK. Never fails on bad bytes: that is LATHE_PROBE_REFUSE. Absent: `load` decides.
   */
  int (*probe)(void* self, const lathe_bytes* bytes, int32_t* verdict, lathe_value* reason);

  /* [required] Makes a module of bytes, which are borrowed. Any bytes at all must end in success or
   * an error. Device work (uploading code) may wait for the first call of a function. `*module` is
   * dropped by `drop`, once. */
  int (*load)(void* self, const lathe_bytes* bytes, void** module, lathe_value* error);

  /* [required] `*result` is a function object, which keeps the module alive, or NONE where there is
   * no such name. */
  int (*get_function)(void* module, const char* name, lathe_value* result);

  /* Bytes that `load` takes; a bytes object. Absent: the module cannot be saved. */
  int (*save)(void* module, lathe_value* result);

  /* Text for people and tools; a string object or NONE. `what` is "metadata" (JSON: functions with
   * argument types), "formats" (space separated names), or one of those formats ("source", "asm",
   * ...). */
  int (*describe)(void* module, const char* what, lathe_value* result);

  /* [required] Gives the module up. Functions handed out before stay valid. */
  void (*drop)(void* module);
} lathe_module_api;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_MODULE_H_ */
