/* Interface "lathe.device.1": devices of one kind, their memory, streams and events. Rules:
 * plugin.h.
 *
 * Device memory is an opaque handle of pointer size for all code except its plugin: the host never
 * reads or writes it, and does arithmetic on the handle only if LATHE_DEVICE_POINTER_ARITHMETIC is
 * set. `id` is from 0 to count - 1.
 *
 * Work may be asynchronous on a stream. The next sync or event call on that stream reports an
 * asynchronous error and names the kernel. A device that cannot continue is *lost*: from then on
 * `status` and every other call fail with LATHE_UNAVAILABLE and the name "device-lost".
 */
#ifndef LATHE_ABI_DEVICE_H_
#define LATHE_ABI_DEVICE_H_

#include "lathe/abi/value.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LATHE_DEVICE_INTERFACE "lathe.device.1"

/* Bits of lathe_device_api.flags. */
enum {
  /* data + n is the address n bytes further. Without this flag, a view's offset is passed in
     DLTensor.byte_offset only. */
  LATHE_DEVICE_POINTER_ARITHMETIC = 1,
  /* The host may read and write the memory directly, between syncs. */
  LATHE_DEVICE_HOST_VISIBLE = 2
};

/* A request for memory. Grows at its end. */
typedef struct lathe_alloc_request {
  uint64_t struct_size;
  const char* scope;  /* the memory scope's name in the manifest; "global" is the ordinary one */
  uint64_t bytes;     /* > 0 */
  uint64_t alignment; /* a power of two, at least 1 */
  DLDataType dtype;   /* of the elements; {uint, 8, 1} if unknown */
  int32_t ndim;       /* 0 if the shape is not given; image scopes need the shape */
  const int64_t* shape;
} lathe_alloc_request;

typedef struct lathe_device_api {
  uint64_t struct_size;
  uint64_t flags;
  void* self; /* first argument of every call */

  /* [required] Number of devices present. 0 is not an error: there may be no driver or no board. */
  int (*count)(void* self, int32_t* count, lathe_value* error);

  /* [required] One property: "name", "vendor", "arch", "driver_version", "total_memory",
   * "max_threads_per_block", "warp_size", "max_shared_memory_per_block", "multi_processor_count",
   * "max_clock_khz", ...; `*result` is an int, float, bool or string object, or NONE if the device
   * does not know the key. */
  int (*attribute)(void* self, int32_t id, const char* key, lathe_value* result);

  /* [required] `*data` is never NULL on success. Out of memory: LATHE_RESOURCE_EXHAUSTED,
   * "device-out-of-memory". */
  int (*alloc)(void* self, int32_t id, const lathe_alloc_request* request, void** data,
               lathe_value* error);
  /* [required] Frees memory from `alloc`, once, with the same scope. Happens after all queued work
   * that uses the memory. */
  int (*free)(void* self, int32_t id, const char* scope, void* data, lathe_value* error);
  /* The free bytes and the total bytes of a scope. */
  int (*memory_info)(void* self, int32_t id, const char* scope, uint64_t* free_bytes,
                     uint64_t* total_bytes, lathe_value* error);

  /* [required] Copies elements between two tensors of the same shape and dtype, strided or not. One
   * side is on a device of this kind; the other is on one too, or in host memory (kDLCPU).
   * Asynchronous on `stream` (a handle of stream_new, or NULL for the default stream). If one side
   * is host memory, that memory may be reused or read on return. A device that copies only compact
   * blocks returns LATHE_UNIMPLEMENTED for other layouts, and the host repacks them. */
  int (*copy)(void* self, const DLTensor* from, DLTensor* to, void* stream, lathe_value* error);
  /* Repeats a pattern of 1, 2, 4 or 8 bytes (the low bytes of `pattern`) over `bytes` bytes from
   * data + offset. Absent: the host copies instead. */
  int (*fill)(void* self, int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
              int32_t pattern_bytes, void* stream, lathe_value* error);

  /* Streams. `kind` is "compute", "copy" or "high-priority"; an unknown kind gives an ordinary
   * stream. A device without streams works synchronously. stream_sync(NULL) waits for the default
   * stream; it is [required] if launches are asynchronous. */
  int (*stream_new)(void* self, int32_t id, const char* kind, void** stream, lathe_value* error);
  int (*stream_free)(void* self, int32_t id, void* stream, lathe_value* error);
  int (*stream_sync)(void* self, int32_t id, void* stream, lathe_value* error);

  /* Events. `event_wait` makes a stream wait, `event_sync` the calling thread. `event_elapsed`
   * gives the time on the device's clock between two events that have been reached. */
  int (*event_new)(void* self, int32_t id, void** event, lathe_value* error);
  int (*event_free)(void* self, int32_t id, void* event, lathe_value* error);
  int (*event_record)(void* self, int32_t id, void* event, void* stream, lathe_value* error);
  int (*event_wait)(void* self, int32_t id, void* event, void* stream, lathe_value* error);
  int (*event_sync)(void* self, int32_t id, void* event, lathe_value* error);
  int (*event_elapsed)(void* self, int32_t id, void* start, void* end, double* nanoseconds,
                       lathe_value* error);

  /* Host memory as device memory: `*data` aliases [host, host + bytes) until unwrap_host; the
   * caller keeps it alive. */
  int (*wrap_host)(void* self, int32_t id, void* host, uint64_t bytes, void** data,
                   lathe_value* error);
  int (*unwrap_host)(void* self, int32_t id, void* data, lathe_value* error);
  /* Device memory as host memory: `*host` aliases data[0, bytes) until `data` is freed. */
  int (*export_host)(void* self, int32_t id, void* data, uint64_t bytes, void** host,
                     lathe_value* error);

  /* Makes a device current on the calling thread; called before a launch (S38 of the semantics). */
  int (*make_current)(void* self, int32_t id, lathe_value* error);

  /* Fails with "device-lost" once the device is lost. Does not wait. */
  int (*status)(void* self, int32_t id, lathe_value* error);
} lathe_device_api;

#ifdef __cplusplus
}
#endif

#endif /* LATHE_ABI_DEVICE_H_ */
