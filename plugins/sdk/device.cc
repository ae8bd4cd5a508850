#include "plugins/sdk/device.h"

namespace lathe::sdk {
namespace {

[[noreturn]] void Unsupported(const char* what) {
  throw Error(LATHE_UNIMPLEMENTED, "device-unsupported",
              std::string("this device does not support ") + what);
}

DeviceAPI& Self(void* self) { return *static_cast<DeviceAPI*>(self); }

using internal::Guard;

}  // namespace

Value DeviceAPI::Attribute(int32_t, std::string_view) { return {}; }
MemoryInfo DeviceAPI::GetMemoryInfo(int32_t, std::string_view) {
  Unsupported("memory information");
}
void DeviceAPI::Fill(int32_t, void*, uint64_t, uint64_t, uint64_t, int32_t, void*) {
  Unsupported("fill");
}
void* DeviceAPI::NewStream(int32_t, std::string_view) { Unsupported("streams"); }
void DeviceAPI::FreeStream(int32_t, void*) { Unsupported("streams"); }
void DeviceAPI::SyncStream(int32_t, void*) {}
void* DeviceAPI::NewEvent(int32_t) { Unsupported("events"); }
void DeviceAPI::FreeEvent(int32_t, void*) { Unsupported("events"); }
void DeviceAPI::RecordEvent(int32_t, void*, void*) { Unsupported("events"); }
void DeviceAPI::WaitEvent(int32_t, void*, void*) { Unsupported("events"); }
void DeviceAPI::SyncEvent(int32_t, void*) { Unsupported("events"); }
double DeviceAPI::ElapsedNanoseconds(int32_t, void*, void*) { Unsupported("events"); }
void* DeviceAPI::WrapHost(int32_t, void*, uint64_t) { Unsupported("wrapping host memory"); }
void DeviceAPI::UnwrapHost(int32_t, void*) { Unsupported("wrapping host memory"); }
void* DeviceAPI::ExportHost(int32_t, void*, uint64_t) {
  Unsupported("exporting its memory to the host");
}
void DeviceAPI::MakeCurrent(int32_t id) {
  const int32_t count = Count();
  if (id >= 0 && id < count) return;
  throw Error(LATHE_NOT_FOUND, "device-no-such-id",
              "there is no device " + std::to_string(id) + " of this kind; there are " +
                  std::to_string(count));
}
void DeviceAPI::Status(int32_t) {}

// FNV-1a, folded to 16 bits, into [4096, 32767]. runtime/device.h has the same function; a test of
// the plugins compares them.
int32_t DeviceTypeOf(std::string_view kind) {
  uint32_t hash = 2166136261u;
  for (char c : kind) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  hash ^= hash >> 16;
  return 4096 + static_cast<int32_t>(hash % (32768u - 4096u));
}

namespace internal {

lathe_device_api DeviceTable(DeviceAPI* device) {
  lathe_device_api table{};
  table.struct_size = sizeof(table);
  table.flags = device->flags();
  table.self = device;
  table.count = [](void* self, int32_t* count, lathe_value* error) noexcept {
    return Guard(error, [&] { *count = Self(self).Count(); });
  };
  table.attribute = [](void* self, int32_t id, const char* key, lathe_value* result) noexcept {
    return Guard(result, [&] { *result = Self(self).Attribute(id, key).Release(); });
  };
  table.alloc = [](void* self, int32_t id, const lathe_alloc_request* request, void** data,
                   lathe_value* error) noexcept {
    return Guard(error, [&] { *data = Self(self).Alloc(id, *request); });
  };
  table.free = [](void* self, int32_t id, const char* scope, void* data,
                  lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).Free(id, scope, data); });
  };
  table.memory_info = [](void* self, int32_t id, const char* scope, uint64_t* free, uint64_t* total,
                         lathe_value* error) noexcept {
    return Guard(error, [&] {
      const MemoryInfo info = Self(self).GetMemoryInfo(id, scope);
      *free = info.free;
      *total = info.total;
    });
  };
  table.copy = [](void* self, const DLTensor* from, DLTensor* to, void* stream,
                  lathe_value* error) noexcept {
    return Guard(error, [&] {
      if (!Self(self).CopiesStrided() && !(IsCompact(*from) && IsCompact(*to)))
        Unsupported("copies of strided tensors");
      Self(self).Copy(*from, *to, stream);
    });
  };
  table.fill = [](void* self, int32_t id, void* data, uint64_t offset, uint64_t bytes,
                  uint64_t pattern, int32_t pattern_bytes, void* stream,
                  lathe_value* error) noexcept {
    return Guard(error,
                 [&] { Self(self).Fill(id, data, offset, bytes, pattern, pattern_bytes, stream); });
  };
  table.stream_new = [](void* self, int32_t id, const char* kind, void** stream,
                        lathe_value* error) noexcept {
    return Guard(error, [&] { *stream = Self(self).NewStream(id, kind); });
  };
  table.stream_free = [](void* self, int32_t id, void* stream, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).FreeStream(id, stream); });
  };
  table.stream_sync = [](void* self, int32_t id, void* stream, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).SyncStream(id, stream); });
  };
  table.event_new = [](void* self, int32_t id, void** event, lathe_value* error) noexcept {
    return Guard(error, [&] { *event = Self(self).NewEvent(id); });
  };
  table.event_free = [](void* self, int32_t id, void* event, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).FreeEvent(id, event); });
  };
  table.event_record = [](void* self, int32_t id, void* event, void* stream,
                          lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).RecordEvent(id, event, stream); });
  };
  table.event_wait = [](void* self, int32_t id, void* event, void* stream,
                        lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).WaitEvent(id, event, stream); });
  };
  table.event_sync = [](void* self, int32_t id, void* event, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).SyncEvent(id, event); });
  };
  table.event_elapsed = [](void* self, int32_t id, void* start, void* end, double* nanoseconds,
                           lathe_value* error) noexcept {
    return Guard(error, [&] { *nanoseconds = Self(self).ElapsedNanoseconds(id, start, end); });
  };
  table.wrap_host = [](void* self, int32_t id, void* host, uint64_t bytes, void** data,
                       lathe_value* error) noexcept {
    return Guard(error, [&] { *data = Self(self).WrapHost(id, host, bytes); });
  };
  table.unwrap_host = [](void* self, int32_t id, void* data, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).UnwrapHost(id, data); });
  };
  table.export_host = [](void* self, int32_t id, void* data, uint64_t bytes, void** host,
                         lathe_value* error) noexcept {
    return Guard(error, [&] { *host = Self(self).ExportHost(id, data, bytes); });
  };
  table.make_current = [](void* self, int32_t id, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).MakeCurrent(id); });
  };
  table.status = [](void* self, int32_t id, lathe_value* error) noexcept {
    return Guard(error, [&] { Self(self).Status(id); });
  };
  return table;
}

}  // namespace internal
}  // namespace lathe::sdk
