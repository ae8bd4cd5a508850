// Streams: queues of a device's work, and each thread's current stream.
#pragma once

#include "absl/status/statusor.h"
#include "lathe/abi/value.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/object_ref.h"
#include "runtime/value.h"

namespace lathe::runtime {

// A shared handle; null means the device's default stream. The last handle frees the device's
// stream.
class Stream : public ObjectRef<lathe_stream> {
 public:
  Stream() = default;
  explicit Stream(lathe_stream* stream) : ObjectRef(stream) {}
  explicit Stream(ObjectRef<lathe_stream> ref) : ObjectRef(std::move(ref)) {}

  static absl::StatusOr<Stream> New(const Device& device, StreamKind kind = StreamKind::kCompute);
  // Wraps a handle that somebody else owns and keeps alive.
  static Stream Borrowed(const Device& device, StreamHandle handle);

  StreamHandle handle() const { return get() == nullptr ? nullptr : get()->handle; }
  Device device() const { return get() == nullptr ? Device{} : Device::FromPacked(get()->device); }
};

// The calling thread's current stream of a device; null if none was set. Never fails.
Stream CurrentStream(const Device& device);
StreamHandle CurrentStreamHandle(const Device& device);
void SetCurrentStream(const Device& device, Stream stream);

// Sets the thread's current stream for the duration of a scope.
class StreamScope {
 public:
  StreamScope(const Device& device, Stream stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Device device_;
  Stream previous_;
};

// Waits for all work of the device's current stream.
absl::Status Synchronize(const Device& device);

template <>
struct ValueTraits<Stream> {
  static std::string Name() { return "stream"; }
  static Conversion Get(const lathe_value& value, Stream* out) {
    if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
        value.v_object->kind != LATHE_OBJECT_STREAM)
      return Conversion::kWrongKind;
    *out = Stream(reinterpret_cast<lathe_stream*>(value.v_object));
    return Conversion::kOk;
  }
  static lathe_value Borrow(const Stream& item) { return internal::ObjectValue(item.get()); }
  static lathe_value Own(Stream item) { return internal::ObjectValue(item.release()); }
};

}  // namespace lathe::runtime
