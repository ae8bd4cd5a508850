/* The runtime as C functions, for languages other than C++. The library is liblathe_runtime.so; it
 * exports only these functions. C11.
 *
 * Errors: a function that can fail returns NULL on success, else an error object that the caller
 * owns (release it with lathe_object_release). Out parameters are written on success only. No
 * exception leaves a function. Ownership: the caller owns every object that it gets; every object
 * passed in is borrowed. Threads: every function may be called from any thread.
 * Strings are UTF-8 and end in NUL.
 */
#ifndef LATHE_RUNTIME_C_API_H_
#define LATHE_RUNTIME_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "lathe/abi/kernel.h"
#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LATHE_C_API __attribute__((visibility("default")))
#else
#define LATHE_C_API
#endif

/* Increases by one when a function is added; functions are never removed or changed. */
#define LATHE_C_API_VERSION 2
LATHE_C_API int32_t lathe_c_api_version(void);

/* --- Objects, values, strings --- */

/* Both ignore NULL. */
LATHE_C_API void lathe_object_retain(lathe_object* object);
LATHE_C_API void lathe_object_release(lathe_object* object);
/* Drops the contents of an owned value and makes it NONE. */
LATHE_C_API void lathe_value_release(lathe_value* value);
LATHE_C_API lathe_error* lathe_string_new(const char* data, size_t size, lathe_string** out);
LATHE_C_API lathe_error* lathe_bytes_new(const char* data, size_t size, lathe_string** out);
/* An error to return from your own lathe_call. `code` is a lathe_code; texts may be NULL.
 * Never NULL. */
LATHE_C_API lathe_error* lathe_error_new(int32_t code, const char* name, const char* message,
                                         const char* notes);
/* Name, message and notes as text for people; a string object. */
LATHE_C_API lathe_error* lathe_error_text(const lathe_error* error, lathe_string** out);

/* --- Functions and the registry --- */

/* `drop(self)` is called once, with the last reference; it may be NULL. */
LATHE_C_API lathe_error* lathe_function_new(lathe_call call, void* self, void (*drop)(void* self),
                                            lathe_function** out);
/* The caller owns `*ret`; it is NONE on failure. */
LATHE_C_API lathe_error* lathe_function_call(lathe_function* function, const lathe_value* args,
                                             int32_t n, lathe_value* ret);
/* Ends calls, by a flag or a deadline. The caller frees it after all calls that use it; NULL is
 * ignored. */
typedef struct lathe_cancellation lathe_cancellation;
LATHE_C_API lathe_error* lathe_cancellation_new(lathe_cancellation** out);
LATHE_C_API void lathe_cancellation_free(lathe_cancellation* cancellation);
/* Its calls end with the error `cancelled` (LATHE_CANCELLED): between parts of a kernel's parallel
 * loops, and before the kernel calls packed functions; other code of a kernel is not interrupted.
 * */
LATHE_C_API void lathe_cancellation_cancel(lathe_cancellation* cancellation);
/* Its calls end with `deadline-exceeded` (LATHE_DEADLINE_EXCEEDED) after this many milliseconds. */
LATHE_C_API void lathe_cancellation_deadline(lathe_cancellation* cancellation,
                                             int64_t milliseconds);
/* Like lathe_function_call; `cancellation` may end the call. */
LATHE_C_API lathe_error* lathe_function_call_cancellable(lathe_function* function,
                                                         const lathe_value* args, int32_t n,
                                                         lathe_value* ret,
                                                         lathe_cancellation* cancellation);
/* With `replace` 0 an existing name is refused. */
LATHE_C_API lathe_error* lathe_global_register(const char* name, lathe_function* function,
                                               int32_t replace);
/* The same for a function that remote sessions may call by name; they may call no others. */
LATHE_C_API lathe_error* lathe_global_register_exported(const char* name, lathe_function* function,
                                                        int32_t replace);
/* Loads the plugin that provides the name, if there is one. */
LATHE_C_API lathe_error* lathe_global_find(const char* name, lathe_function** out);
/* Returns 1 if the name existed. */
LATHE_C_API int32_t lathe_global_remove(const char* name);
/* Names that begin with `prefix`, sorted, one per line; a string object. */
LATHE_C_API lathe_error* lathe_global_names(const char* prefix, lathe_string** out);

/* --- Element types and devices --- */

LATHE_C_API lathe_error* lathe_dtype_parse(const char* text, DLDataType* out);
LATHE_C_API lathe_error* lathe_dtype_text(DLDataType dtype, lathe_string** out);
/* "cuda:1", "opencl(0)", "cpu". */
LATHE_C_API lathe_error* lathe_device_parse(const char* text, DLDevice* out);
LATHE_C_API lathe_error* lathe_device_text(DLDevice device, lathe_string** out);
/* The number of devices of a kind, also in a session (the packed form); fails if nothing provides
 * the kind. */
LATHE_C_API lathe_error* lathe_device_count(int32_t device_type, int32_t* out);
/* runtime/device_api.h lists the keys; NONE if the device does not know the key. */
LATHE_C_API lathe_error* lathe_device_attribute(DLDevice device, const char* key, lathe_value* out);
/* Waits for the work of the calling thread's current stream. */
LATHE_C_API lathe_error* lathe_device_synchronize(DLDevice device);
/* `kind` 0 compute, 1 copy, 2 high priority. */
LATHE_C_API lathe_error* lathe_stream_new(DLDevice device, int32_t kind, lathe_stream** out);
/* Sets the calling thread's current stream; NULL restores the default stream. */
LATHE_C_API lathe_error* lathe_stream_set_current(DLDevice device, lathe_stream* stream);

/* --- Tensors --- */

/* Uninitialised, compact. `scope` NULL is the ordinary memory. */
LATHE_C_API lathe_error* lathe_tensor_empty(const int64_t* shape, int32_t ndim, DLDataType dtype,
                                            DLDevice device, const char* scope, lathe_tensor** out);
/* Wraps the caller's memory; `release(context)` is called once, after the last view, and `release`
 * may be NULL. `strides` NULL means compact. */
LATHE_C_API lathe_error* lathe_tensor_wrap(void* data, uint64_t byte_offset, const int64_t* shape,
                                           const int64_t* strides, int32_t ndim, DLDataType dtype,
                                           DLDevice device, int32_t read_only,
                                           void (*release)(void* context), void* context,
                                           lathe_tensor** out);
/* These take ownership of the managed tensor on success; on failure the caller keeps it. */
LATHE_C_API lathe_error* lathe_tensor_from_dlpack(DLManagedTensor* managed, lathe_tensor** out);
LATHE_C_API lathe_error* lathe_tensor_from_dlpack_versioned(DLManagedTensorVersioned* managed,
                                                            lathe_tensor** out);
LATHE_C_API lathe_error* lathe_tensor_to_dlpack(lathe_tensor* tensor, DLManagedTensor** out);
LATHE_C_API lathe_error* lathe_tensor_to_dlpack_versioned(lathe_tensor* tensor,
                                                          DLManagedTensorVersioned** out);
/* Views; they keep the memory alive. */
LATHE_C_API lathe_error* lathe_tensor_slice(lathe_tensor* tensor, int32_t axis, int64_t begin,
                                            int64_t end, int64_t step, lathe_tensor** out);
LATHE_C_API lathe_error* lathe_tensor_reshape(lathe_tensor* tensor, const int64_t* shape,
                                              int32_t ndim, lathe_tensor** out);
LATHE_C_API lathe_error* lathe_tensor_transpose(lathe_tensor* tensor, const int32_t* axes,
                                                int32_t n, lathe_tensor** out);
/* Copies elements between any layouts and devices. */
LATHE_C_API lathe_error* lathe_tensor_copy(lathe_tensor* from, lathe_tensor* to);
LATHE_C_API lathe_error* lathe_tensor_to_device(lathe_tensor* tensor, DLDevice device,
                                                lathe_tensor** out);
/* The host memory is compact and row-major, with exactly the tensor's bytes. */
LATHE_C_API lathe_error* lathe_tensor_copy_from_host(lathe_tensor* tensor, const void* data,
                                                     uint64_t bytes);
LATHE_C_API lathe_error* lathe_tensor_copy_to_host(lathe_tensor* tensor, void* data,
                                                   uint64_t bytes);
/* The bytes of the elements without gaps. */
LATHE_C_API uint64_t lathe_tensor_bytes(const lathe_tensor* tensor);

/* --- Modules --- */

/* A shared library, an ELF object, a tar archive of them or a module file. */
LATHE_C_API lathe_error* lathe_module_load_file(const char* path, lathe_object** out);
/* Bytes of one module of a kind ("elf", "cuda", ...). */
LATHE_C_API lathe_error* lathe_module_load(const char* kind, const void* data, size_t size,
                                           lathe_object** out);
/* `name` NULL means the entry function. Searches imported modules, too. */
LATHE_C_API lathe_error* lathe_module_function(lathe_object* module, const char* name,
                                               lathe_function** out);
LATHE_C_API lathe_error* lathe_module_kind(lathe_object* module, lathe_string** out);
/* JSON, as runtime/metadata.h describes it. */
LATHE_C_API lathe_error* lathe_module_metadata(lathe_object* module, lathe_string** out);
LATHE_C_API lathe_error* lathe_module_import(lathe_object* module, lathe_object* imported);
/* The tree of modules as a module file. */
LATHE_C_API lathe_error* lathe_module_save(lathe_object* module, lathe_string** out);

/* --- Threads --- */

LATHE_C_API lathe_error* lathe_threads_set(int32_t n);
LATHE_C_API lathe_error* lathe_threads(int32_t* out);
/* Runs body over [0, extent) in parts. A body that fails returns non-zero after
 * lathe_get_runtime_table()->raise. */
LATHE_C_API lathe_error* lathe_parallel_for(lathe_parallel_body body, void* closure,
                                            int64_t extent);
/* Replaces the thread pool by the caller's: `run` returns the result of the bodies. NULL restores
 * the built-in pool. Not while loops run. */
LATHE_C_API void lathe_parallel_replace(int32_t (*run)(void* context, lathe_parallel_body body,
                                                       void* closure, int64_t extent),
                                        void* context);
/* The most bytes of workspace that one thread may hold; 0 restores the default:
 * LATHE_WORKSPACE_BYTES, or this machine's memory. A kernel that needs more fails with
 * `workspace-limit`. */
LATHE_C_API void lathe_workspace_limit_set(uint64_t bytes);
/* The address for the table pointer of compiled code that is linked statically. */
LATHE_C_API const lathe_runtime_table* lathe_get_runtime_table(void);

/* --- Timing --- */

typedef struct {
  uint64_t struct_size;        /* sizeof(lathe_timer_options) */
  int64_t number;              /* calls per sample */
  int64_t repeat;              /* samples */
  double min_repeat_ms;        /* `number` grows until a sample lasts this long */
  double cooldown_interval_ms; /* pause ... */
  int64_t repeats_to_cooldown; /* ... after so many samples */
  uint64_t flush_cache_bytes;  /* host memory accessed before each sample; 0: none */
} lathe_timer_options;

/* Writes the seconds per call of each sample to samples[0, options->repeat). */
LATHE_C_API lathe_error* lathe_time_function(lathe_function* function, const lathe_value* args,
                                             int32_t n, DLDevice device,
                                             const lathe_timer_options* options, double* samples);

#ifdef __cplusplus
}
#endif

#endif /* LATHE_RUNTIME_C_API_H_ */
