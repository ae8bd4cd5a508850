#include "runtime/stream.h"

#include <utility>
#include <vector>

#include "runtime/session_table.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct StreamObject : Object {
  StreamObject() : Object(LATHE_OBJECT_STREAM) {}
  ~StreamObject() {
    // A device that fails here is lost; its next call reports that.
    if (owned && !devices.closed()) devices->FreeStream(device.device_id, handle).IgnoreError();
  }
  DLDevice device{};
  StreamHandle handle = nullptr;
  DeviceRef devices;
  bool owned = false;
};
static_assert(offsetof(lathe_stream, device) == sizeof(Object));

Stream MakeStream(const Device& device, StreamHandle handle, DeviceRef devices, bool owned) {
  auto* object = MakeObject<StreamObject>();
  object->device = device.packed();
  object->handle = handle;
  object->devices = std::move(devices);
  object->owned = owned;
  return Stream(reinterpret_cast<lathe_stream*>(static_cast<lathe_object*>(object)));
}

struct Current {
  Device device;
  Stream stream;
};
// Few devices are in use at once, so a list is the fastest map.
thread_local std::vector<Current> current_streams;

}  // namespace

absl::StatusOr<Stream> Stream::New(const Device& device, StreamKind kind) {
  LATHE_ASSIGN_OR_RETURN(DeviceRef devices, FindDevice(device));
  LATHE_ASSIGN_OR_RETURN(const StreamHandle handle, devices->NewStream(device.id, kind));
  return MakeStream(device, handle, std::move(devices), /*owned=*/true);
}

Stream Stream::Borrowed(const Device& device, StreamHandle handle) {
  return MakeStream(device, handle, KeepSession(device), /*owned=*/false);
}

Stream CurrentStream(const Device& device) {
  for (const Current& current : current_streams)
    if (current.device == device) return current.stream;
  return Stream();
}

StreamHandle CurrentStreamHandle(const Device& device) {
  for (const Current& current : current_streams)
    if (current.device == device) return current.stream.handle();
  return nullptr;
}

void SetCurrentStream(const Device& device, Stream stream) {
  for (Current& current : current_streams) {
    if (current.device == device) {
      current.stream = std::move(stream);
      return;
    }
  }
  current_streams.push_back({device, std::move(stream)});
}

StreamScope::StreamScope(const Device& device, Stream stream)
    : device_(device), previous_(CurrentStream(device)) {
  SetCurrentStream(device, std::move(stream));
}
StreamScope::~StreamScope() { SetCurrentStream(device_, std::move(previous_)); }

absl::Status Synchronize(const Device& device) {
  LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevice(device));
  return devices->SyncStream(device.id, CurrentStreamHandle(device));
}

}  // namespace lathe::runtime
