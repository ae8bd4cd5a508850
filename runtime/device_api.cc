#include "runtime/device_api.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "runtime/cpu_device.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr int32_t kFastKinds = 32;

struct Found {
  std::array<std::atomic<DeviceAPI*>, kFastKinds> fast{};
  std::mutex mutex;
  std::map<int32_t, DeviceAPI*> others;
};
Found& Cache() {
  static Found* found = new Found;
  return *found;
}

DeviceAPI* FindCached(int32_t kind) {
  Found& found = Cache();
  if (kind >= 0 && kind < kFastKinds) return found.fast[kind].load(std::memory_order_acquire);
  std::lock_guard lock(found.mutex);
  const auto at = found.others.find(kind);
  return at == found.others.end() ? nullptr : at->second;
}

void Remember(int32_t kind, DeviceAPI* api) {
  Found& found = Cache();
  if (kind >= 0 && kind < kFastKinds) {
    found.fast[kind].store(api, std::memory_order_release);
    return;
  }
  std::lock_guard lock(found.mutex);
  found.others[kind] = api;
}

}  // namespace

absl::Status DeviceAPI::Unsupported(std::string_view what) const {
  return MakeStatus(absl::StatusCode::kUnimplemented, "device-unsupported",
                    {"device kind `", DeviceKindName(kind()), "` does not support ", what});
}
absl::StatusOr<StreamHandle> DeviceAPI::NewStream(int32_t, StreamKind) {
  return Unsupported("streams");
}
absl::Status DeviceAPI::FreeStream(int32_t, StreamHandle) { return Unsupported("streams"); }
absl::StatusOr<EventHandle> DeviceAPI::NewEvent(int32_t) { return Unsupported("events"); }
absl::Status DeviceAPI::RecordEvent(int32_t, EventHandle, StreamHandle) {
  return Unsupported("events");
}
absl::Status DeviceAPI::WaitEvent(int32_t, EventHandle, StreamHandle) {
  return Unsupported("events");
}
absl::Status DeviceAPI::SyncEvent(int32_t, EventHandle) { return Unsupported("events"); }
absl::StatusOr<double> DeviceAPI::ElapsedNanoseconds(int32_t, EventHandle, EventHandle) {
  return Unsupported("timing by events");
}
absl::Status DeviceAPI::FreeEvent(int32_t, EventHandle) { return Unsupported("events"); }
absl::StatusOr<void*> DeviceAPI::WrapHost(int32_t, void*, uint64_t) {
  return Unsupported("host memory as its own");
}
absl::Status DeviceAPI::UnwrapHost(int32_t, void*) { return Unsupported("host memory as its own"); }
absl::StatusOr<void*> DeviceAPI::ExportHost(int32_t, void*, uint64_t) {
  return Unsupported("its memory as host memory");
}
absl::Status DeviceAPI::Health(int32_t) { return absl::OkStatus(); }

absl::StatusOr<DeviceAPI*> GetDeviceAPI(int32_t kind) {
  if (DeviceAPI* api = FindCached(kind)) return api;
  if (kind == kDLCPU) {
    Remember(kind, CpuDeviceAPI());
    return CpuDeviceAPI();
  }
  const std::string name = DeviceKindName(kind);
  absl::StatusOr<Function> factory = FindOrLoadGlobal("device_api." + name);
  if (!factory.ok()) {
    std::string text = "no plugin provides device kind `" + name + "`";
    if (StatusName(factory.status()) != "registry-not-found")
      text += "\nfound: " + std::string(factory.status().message());
    text +=
        "\nhelp: install a plugin for it, or name its folder in LATHE_PLUGIN_PATH; `lathe plugins` "
        "shows what "
        "was found and why it was refused";
    return MakeStatus(absl::StatusCode::kUnavailable, "device-kind-unavailable", text);
  }
  LATHE_ASSIGN_OR_RETURN(const Value value, factory->TryCall());
  void* pointer = nullptr;
  if (ValueTraits<void*>::Get(value.c(), &pointer) != Conversion::kOk || pointer == nullptr)
    return MakeStatus(
        absl::StatusCode::kInternal, "device-kind-unavailable",
        {"`device_api.", name, "` returned ", value.ToString(), " in place of a DeviceAPI*"});
  auto* api = static_cast<DeviceAPI*>(pointer);
  Remember(kind, api);
  return api;
}

absl::Status RegisterDeviceAPI(DeviceAPI* api) {
  return RegisterGlobal("device_api." + DeviceKindName(api->kind()),
                        Function::From([api](const Args&, Value* result) {
                          *result = Value(static_cast<void*>(api));
                        }));
}

}  // namespace lathe::runtime
