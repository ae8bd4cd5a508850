/* The calling convention: tagged values, reference-counted objects, functions.
 *
 * Everything that is passed between Lathe and a plugin, another language or compiled code is one of
 * these. C11, without dependencies except stdint. The numbers in this header never change; new ones
 * are appended.
 */
#ifndef LATHE_ABI_VALUE_H_
#define LATHE_ABI_VALUE_H_

#include <stddef.h>
#include <stdint.h>

#include "lathe/abi/dlpack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a lathe_value. Kinds 0-9 have the numbers of apache/tvm-ffi, so that an adapter is a
 * cast. */
typedef enum {
  LATHE_VALUE_NONE = 0,
  LATHE_VALUE_INT = 1,      /* v_int */
  LATHE_VALUE_BOOL = 2,     /* v_int, 0 or 1 */
  LATHE_VALUE_FLOAT = 3,    /* v_float */
  LATHE_VALUE_POINTER = 4,  /* v_pointer, opaque; not owned */
  LATHE_VALUE_DTYPE = 5,    /* v_dtype */
  LATHE_VALUE_DEVICE = 6,   /* v_device */
  LATHE_VALUE_DLTENSOR = 7, /* v_dltensor, borrowed for the call */
  LATHE_VALUE_STRING = 8,   /* v_string, NUL-terminated UTF-8, borrowed for the call */
  LATHE_VALUE_BYTES = 9,    /* v_bytes, borrowed for the call */
  LATHE_VALUE_OBJECT = 64   /* v_object; its own `kind` states which object */
} lathe_value_kind;

/* The kind of a lathe_object. */
typedef enum {
  LATHE_OBJECT_ERROR = 1,    /* lathe_error */
  LATHE_OBJECT_STRING = 2,   /* lathe_string, UTF-8 */
  LATHE_OBJECT_BYTES = 3,    /* lathe_string, any bytes */
  LATHE_OBJECT_FUNCTION = 4, /* lathe_function */
  LATHE_OBJECT_TENSOR = 5,   /* lathe_tensor */
  LATHE_OBJECT_MODULE = 6,   /* opaque */
  LATHE_OBJECT_STREAM = 7,   /* lathe_stream */
  LATHE_OBJECT_ARRAY = 8,    /* lathe_array; never passed to a plugin */
  LATHE_OBJECT_BLOB = 9,     /* constant bytes (base/blob.h); never passed to a plugin */
  LATHE_OBJECT_NODE = 64     /* an IR node (64 + node kind); never passed to a plugin */
} lathe_object_kind;

/* The head of every object. `refs` is accessed with atomic operations only; the code that sets it
 * to 0 calls `drop`, which frees the object with the allocator that made it. Thread-safe. */
typedef struct lathe_object {
  uint32_t refs;
  uint32_t kind;
  void (*drop)(struct lathe_object* self);
} lathe_object;

typedef struct {
  const char* data;
  size_t size;
} lathe_bytes;

/* 16 bytes. Arguments of a call are borrowed; an object in a returned value is owned by the caller.
 */
typedef struct lathe_value {
  int32_t kind;     /* a lathe_value_kind */
  uint32_t padding; /* 0 */
  union {
    int64_t v_int;
    double v_float;
    void* v_pointer;
    const char* v_string;
    const lathe_bytes* v_bytes;
    DLTensor* v_dltensor;
    DLDataType v_dtype;
    DLDevice v_device;
    lathe_object* v_object;
  };
} lathe_value;

/* The calling convention of all functions. Returns 0 on success. Otherwise `*ret` owns an object of
 * kind LATHE_OBJECT_ERROR. `*ret` is NONE on entry. Re-entrant unless the function's provider says
 * otherwise. */
typedef int (*lathe_call)(void* self, const lathe_value* args, int32_t n, lathe_value* ret);

typedef struct {
  lathe_object object;
  lathe_call call;
  void* self; /* owned by the object: its `drop` releases it */
} lathe_function;

typedef struct {
  lathe_object object;
  const char* data; /* size bytes, followed by a NUL */
  size_t size;
} lathe_string;

/* Status codes of an error, with the numbers of Abseil's (and gRPC's) canonical codes. */
typedef enum {
  LATHE_OK = 0,
  LATHE_CANCELLED = 1,
  LATHE_UNKNOWN = 2,
  LATHE_INVALID_ARGUMENT = 3,
  LATHE_DEADLINE_EXCEEDED = 4,
  LATHE_NOT_FOUND = 5,
  LATHE_ALREADY_EXISTS = 6,
  LATHE_PERMISSION_DENIED = 7,
  LATHE_RESOURCE_EXHAUSTED = 8,
  LATHE_FAILED_PRECONDITION = 9,
  LATHE_ABORTED = 10,
  LATHE_OUT_OF_RANGE = 11,
  LATHE_UNIMPLEMENTED = 12,
  LATHE_INTERNAL = 13,
  LATHE_UNAVAILABLE = 14,
  LATHE_DATA_LOSS = 15
} lathe_code;

/* All strings are NUL-terminated, owned by the object and never NULL, but may be "". */
typedef struct {
  lathe_object object;
  int32_t code;     /* a lathe_code */
  const char* name; /* the diagnostic's name, such as "call-wrong-dtype" */
  const char* message;
  const char* notes;  /* expected, found, help: one per line */
  const char* origin; /* "plugin acme 1.2" or "" */
} lathe_error;

/* Bits of lathe_tensor.flags. */
#define LATHE_TENSOR_READ_ONLY 1u /* the elements must not be written through this object */

/* A tensor that owns (a share of) its memory. If the upper 16 bits of dl.device.device_type are not
 * 0, they are the number of a session, and `dl.data` is an opaque handle of that session. */
typedef struct {
  lathe_object object;
  DLTensor dl;
  uint32_t padding; /* 0 */
  uint32_t flags;
} lathe_tensor;

/* A stream of a device. `handle` belongs to the device's plugin. */
typedef struct {
  lathe_object object;
  DLDevice device;
  void* handle;
} lathe_stream;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_VALUE_H_ */
