// DeviceAPI: the operations of a kind of device. A C++ device implementation derives from this
// class.
//
// The registry has one function per kind, "device_api.<kind>", which takes no arguments and returns
// the DeviceAPI* as a POINTER value. The object lives until the process ends. An adapter that
// derives from this class wraps a plugin's device table. All other code accesses a tensor's data
// through this interface only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lathe/abi/value.h"
#include "runtime/device.h"
#include "runtime/value.h"

namespace lathe::runtime {

// Handles of the device; the null stream is its default stream.
using StreamHandle = void*;
using EventHandle = void*;

enum class StreamKind : int32_t { kCompute = 0, kCopy = 1, kHighPriority = 2 };

struct MemoryInfo {
  uint64_t total = 0;  // bytes of the scope
  uint64_t free = 0;   // bytes that can probably be allocated now
};

struct AllocRequest {
  std::string_view scope = "global";   // others are named in the plugin's machine description
  uint64_t bytes = 0;                  // > 0
  uint64_t alignment = 64;             // a power of two
  DLDataType dtype = {kDLUInt, 8, 1};  // of the elements, if known
  std::span<const int64_t> shape;      // may be empty; image scopes need it
};

// Every method is thread-safe and re-entrant. `id` is below Count(); errors are statuses with a
// name. A method with a default implementation may be left out: the default returns
// `device-unsupported` (kUnimplemented).
class DeviceAPI {
 public:
  virtual ~DeviceAPI() = default;

  virtual int32_t kind() const = 0;
  // The number of devices of this kind now; 0 if a driver is missing. Cheap after the first call.
  virtual absl::StatusOr<int32_t> Count() = 0;
  // The names are an open set. In use: "name", "arch", "driver_version", "max_threads_per_block",
  // "warp_size", "max_shared_memory_per_block", "max_registers_per_block", "multi_processor_count",
  // "max_clock_khz", "max_thread_dimensions" (text "x,y,z"), "total_memory", "l2_cache_size". NONE
  // for attributes that the device does not state.
  virtual absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) = 0;

  // The pointer is opaque: only this device's methods may dereference it. Fails with
  // `device-out-of-memory` (kResourceExhausted), `device-no-such-scope`.
  virtual absl::StatusOr<void*> Alloc(int32_t id, const AllocRequest& request) = 0;
  // Happens after all queued work that uses the memory; may be called from any thread. `scope` is
  // that of the request.
  virtual absl::Status Free(int32_t id, std::string_view scope, void* data) = 0;
  virtual absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t id, std::string_view scope) = 0;

  // Copies elements; the caller has checked that shapes and dtypes are equal. One side is on this
  // kind of device; the other is on the same kind (perhaps another id) or in host memory. Any
  // strides are allowed. Queued on `stream`. If one side is the host, the copy is complete on
  // return, or the host memory has been staged. An implementation that copies only compact
  // blocks returns kUnimplemented for other layouts, and the runtime then copies through the host.
  virtual absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) = 0;
  // Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes from `data` + `offset`. Queued on
  // `stream`.
  virtual absl::Status Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes,
                            uint64_t pattern, int32_t pattern_bytes, StreamHandle stream) = 0;

  virtual absl::StatusOr<StreamHandle> NewStream(int32_t id, StreamKind kind);
  // Waits for everything queued; asynchronous errors are reported here, with the name of the
  // kernel.
  virtual absl::Status SyncStream(int32_t id, StreamHandle stream) = 0;
  virtual absl::Status FreeStream(int32_t id, StreamHandle stream);

  virtual absl::StatusOr<EventHandle> NewEvent(int32_t id);
  virtual absl::Status RecordEvent(int32_t id, EventHandle event, StreamHandle stream);
  // Makes later work of `stream` wait for the event.
  virtual absl::Status WaitEvent(int32_t id, EventHandle event, StreamHandle stream);
  // Blocks the calling thread until the event is reached.
  virtual absl::Status SyncEvent(int32_t id, EventHandle event);
  // Nanoseconds of device time between two events that have been reached.
  virtual absl::StatusOr<double> ElapsedNanoseconds(int32_t id, EventHandle begin, EventHandle end);
  virtual absl::Status FreeEvent(int32_t id, EventHandle event);

  // Makes host memory accessible to the device without a copy. The caller keeps the memory alive
  // until UnwrapHost.
  virtual absl::StatusOr<void*> WrapHost(int32_t id, void* host, uint64_t bytes);
  virtual absl::Status UnwrapHost(int32_t id, void* data);
  // A pointer through which the host reads and writes the device's memory; valid as long as the
  // allocation.
  virtual absl::StatusOr<void*> ExportHost(int32_t id, void* data, uint64_t bytes);

  // Called before work on the device from this thread (S38).
  virtual absl::Status MakeCurrent(int32_t id) = 0;
  // OK, or the reason why the device is lost. Once a device is lost, every later call that needs it
  // fails with the same status.
  virtual absl::Status Health(int32_t id);

 protected:
  // kUnimplemented `device-unsupported`: "device kind 'x' does not support WHAT".
  absl::Status Unsupported(std::string_view what) const;
};

// The implementation of a kind. On first use it is looked up in the registry, which may load a
// plugin; then it is remembered. Fails with `device-kind-unavailable`, which names the kind and
// what would provide it. Thread-safe; a few ns once remembered.
absl::StatusOr<DeviceAPI*> GetDeviceAPI(int32_t kind);
// The same for one device; also fails with `device-remote`, and with `device-no-such-id`, which
// says how many devices there are.
absl::StatusOr<DeviceAPI*> GetDeviceAPI(const Device& device);

// Registers `api` as "device_api.<kind>"; it must live until the process ends. Fails with
// `device-kind-taken` if the name exists.
absl::Status RegisterDeviceAPI(DeviceAPI* api);

}  // namespace lathe::runtime
