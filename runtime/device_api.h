// DeviceAPI: what a kind of device can do. The class a C++ device implementation derives from.
//
// The registry holds one per kind under "device_api.<kind>": a function without arguments that
// returns the DeviceAPI* as a POINTER value. It lives until the process ends. A plugin's device
// interface arrives here through an adapter that derives from this class; nothing outside may touch
// a tensor's data without going through it.
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

// A device's own handles; NULL is its default stream.
using StreamHandle = void*;
using EventHandle = void*;

enum class StreamKind : int32_t { kCompute = 0, kCopy = 1, kHighPriority = 2 };

struct MemoryInfo {
  uint64_t total = 0;  // bytes of the scope
  uint64_t free = 0;   // bytes an allocation may hope for now
};

struct AllocRequest {
  std::string_view scope = "global";   // others are named in the plugin's machine description
  uint64_t bytes = 0;                  // > 0
  uint64_t alignment = 64;             // a power of two
  DLDataType dtype = {kDLUInt, 8, 1};  // of the elements, where known
  std::span<const int64_t> shape;      // empty where only bytes are wanted; image scopes need it
};

// Every method is thread-safe and re-entrant. `id` is below Count(); errors are statuses with a
// name. Where the default says so a method may be left out: it answers `device-unsupported`
// (kUnimplemented).
class DeviceAPI {
 public:
  virtual ~DeviceAPI() = default;

  virtual int32_t kind() const = 0;
  // Devices of this kind now; 0 where a driver is missing. Cheap after the first call.
  virtual absl::StatusOr<int32_t> Count() = 0;
  // Open set of names; those in use: "name", "arch", "driver_version", "max_threads_per_block",
  // "warp_size", "max_shared_memory_per_block", "max_registers_per_block", "multi_processor_count",
  // "max_clock_khz", "max_thread_dimensions" (text "x,y,z"), "total_memory", "l2_cache_size". NONE
  // where the device does not say.
  virtual absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) = 0;

  // The pointer is opaque: only this device's methods may look behind it. Fails with
  // `device-out-of-memory` (kResourceExhausted), `device-no-such-scope`.
  virtual absl::StatusOr<void*> Alloc(int32_t id, const AllocRequest& request) = 0;
  // Ordered after all work already queued that uses the memory; safe from any thread. `scope` as in
  // the request.
  virtual absl::Status Free(int32_t id, std::string_view scope, void* data) = 0;
  virtual absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t id, std::string_view scope) = 0;

  // Copies elements; shapes and dtypes are equal already. One side is on this kind; the other on it
  // too (possibly another id) or in host memory. Strides may be anything. Queued on `stream`; with
  // the host as one side the copy is complete, or the host memory staged, on return. An
  // implementation that can only move compact blocks answers kUnimplemented for the rest, and the
  // runtime repacks through the host.
  virtual absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) = 0;
  // Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes from `data` + `offset`. Queued on
  // `stream`.
  virtual absl::Status Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes,
                            uint64_t pattern, int32_t pattern_bytes, StreamHandle stream) = 0;

  virtual absl::StatusOr<StreamHandle> NewStream(int32_t id, StreamKind kind);
  // Waits for everything queued; asynchronous errors surface here and name the kernel.
  virtual absl::Status SyncStream(int32_t id, StreamHandle stream) = 0;
  virtual absl::Status FreeStream(int32_t id, StreamHandle stream);

  virtual absl::StatusOr<EventHandle> NewEvent(int32_t id);
  virtual absl::Status RecordEvent(int32_t id, EventHandle event, StreamHandle stream);
  // Makes later work of `stream` wait for the event.
  virtual absl::Status WaitEvent(int32_t id, EventHandle event, StreamHandle stream);
  // Blocks the calling thread until the event has passed.
  virtual absl::Status SyncEvent(int32_t id, EventHandle event);
  // Nanoseconds of device time between two passed events.
  virtual absl::StatusOr<double> ElapsedNanoseconds(int32_t id, EventHandle begin, EventHandle end);
  virtual absl::Status FreeEvent(int32_t id, EventHandle event);

  // Makes host memory usable by the device without a copy; the caller keeps it alive until
  // UnwrapHost.
  virtual absl::StatusOr<void*> WrapHost(int32_t id, void* host, uint64_t bytes);
  virtual absl::Status UnwrapHost(int32_t id, void* data);
  // A pointer through which the host may read and write the device's memory, valid while the
  // allocation lives.
  virtual absl::StatusOr<void*> ExportHost(int32_t id, void* data, uint64_t bytes);

  // Before work on it from this thread (S38).
  virtual absl::Status MakeCurrent(int32_t id) = 0;
  // OK, or why the device is lost. Sticky: once lost, every later call that needs it fails with the
  // same status.
  virtual absl::Status Health(int32_t id);

 protected:
  // kUnimplemented `device-unsupported`: "device kind 'x' does not support WHAT".
  absl::Status Unsupported(std::string_view what) const;
};

// The implementation for a kind, asking the registry (and through it plugins not yet loaded) on
// first use; a found one is remembered. Fails with `device-kind-unavailable`, naming the kind and
// what would provide it. Thread-safe; a few ns once remembered.
absl::StatusOr<DeviceAPI*> GetDeviceAPI(int32_t kind);
// The same, for one device: also fails with `device-remote` and `device-no-such-id` (how many there
// are).
absl::StatusOr<DeviceAPI*> GetDeviceAPI(const Device& device);

// Puts `api` into the registry as "device_api.<kind>"; it must live for ever. `device-kind-taken`
// where there is one.
absl::Status RegisterDeviceAPI(DeviceAPI* api);

}  // namespace lathe::runtime
