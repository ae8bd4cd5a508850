#include "runtime/plugin_loader/plugin_device.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lathe/abi/names.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/status.h"
#include "runtime/value.h"

namespace lathe::runtime {
namespace {

constexpr int32_t kMaxDevices = 65536;
constexpr uint64_t kFillChunkBytes = 1 << 20;

const char* StreamKindName(StreamKind kind) {
  switch (kind) {
    case StreamKind::kCopy:
      return LATHE_STREAM_COPY;
    case StreamKind::kHighPriority:
      return LATHE_STREAM_HIGH_PRIORITY;
    case StreamKind::kCompute:
      break;
  }
  return LATHE_STREAM_COMPUTE;
}

std::string ScopeName(std::string_view scope) {
  return scope.empty() ? LATHE_SCOPE_GLOBAL : std::string(scope);
}

class PluginDevice final : public DeviceAPI {
 public:
  PluginDevice(const PluginIdentity* identity, int32_t kind, const lathe_device_api& table)
      : identity_(identity), kind_(kind), table_(table) {}

  int32_t kind() const override { return kind_; }

  absl::StatusOr<int32_t> Count() override {
    int32_t count = 0;
    LATHE_RETURN_IF_ERROR(Call("count", table_.count, &count));
    if (count < 0 || count > kMaxDevices) return Broken("count gave " + std::to_string(count));
    return count;
  }

  absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) override {
    LATHE_RETURN_IF_ERROR(identity_->CheckAlive());
    lathe_value result{};
    const std::string key(name);
    if (table_.attribute(table_.self, id, key.c_str(), &result) != 0) {
      return TakePluginError(&result, identity_->origin);
    }
    return Value::Adopt(result);
  }

  absl::StatusOr<void*> Alloc(int32_t id, const AllocRequest& request) override {
    if (request.bytes == 0) return nullptr;
    const std::string scope = ScopeName(request.scope);
    const lathe_alloc_request raw = {
        sizeof(raw),         scope.c_str(),
        request.bytes,       std::max<uint64_t>(request.alignment, 1),
        request.dtype,       static_cast<int32_t>(request.shape.size()),
        request.shape.data()};
    void* data = nullptr;
    LATHE_RETURN_IF_ERROR(Call("alloc", table_.alloc, id, &raw, &data));
    if (data == nullptr) return Broken("alloc gave NULL and no error");
    return data;
  }

  absl::Status Free(int32_t id, std::string_view scope, void* data) override {
    if (data == nullptr) return absl::OkStatus();
    const std::string name = ScopeName(scope);
    return Invoke(table_.free, id, name.c_str(), data);  // the only call allowed after shutdown
  }

  absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t id, std::string_view scope) override {
    MemoryInfo info;
    const std::string name = ScopeName(scope);
    LATHE_RETURN_IF_ERROR(
        Call("memory information", table_.memory_info, id, name.c_str(), &info.free, &info.total));
    return info;
  }

  absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) override {
    DLTensor target = to;
    return Call("copy", table_.copy, &from, &target, stream);
  }

  absl::Status Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                    int32_t pattern_bytes, StreamHandle stream) override {
    const absl::Status status =
        Call("fill", table_.fill, id, data, offset, bytes, pattern, pattern_bytes, stream);
    if (status.code() != absl::StatusCode::kUnimplemented) return status;
    return FillByCopies(id, data, offset, bytes, pattern, pattern_bytes, stream);
  }

  absl::StatusOr<StreamHandle> NewStream(int32_t id, StreamKind kind) override {
    void* stream = nullptr;
    LATHE_RETURN_IF_ERROR(Call("streams", table_.stream_new, id, StreamKindName(kind), &stream));
    return stream;
  }
  absl::Status SyncStream(int32_t id, StreamHandle stream) override {
    if (table_.stream_sync == nullptr) return identity_->CheckAlive();  // a synchronous device
    return Call("streams", table_.stream_sync, id, stream);
  }
  absl::Status FreeStream(int32_t id, StreamHandle stream) override {
    return Call("streams", table_.stream_free, id, stream);
  }

  absl::StatusOr<EventHandle> NewEvent(int32_t id) override {
    void* event = nullptr;
    LATHE_RETURN_IF_ERROR(Call("events", table_.event_new, id, &event));
    return event;
  }
  absl::Status RecordEvent(int32_t id, EventHandle event, StreamHandle stream) override {
    return Call("events", table_.event_record, id, event, stream);
  }
  absl::Status WaitEvent(int32_t id, EventHandle event, StreamHandle stream) override {
    return Call("events", table_.event_wait, id, event, stream);
  }
  absl::Status SyncEvent(int32_t id, EventHandle event) override {
    return Call("events", table_.event_sync, id, event);
  }
  absl::StatusOr<double> ElapsedNanoseconds(int32_t id, EventHandle begin,
                                            EventHandle end) override {
    double nanoseconds = 0;
    LATHE_RETURN_IF_ERROR(Call("events", table_.event_elapsed, id, begin, end, &nanoseconds));
    return nanoseconds;
  }
  absl::Status FreeEvent(int32_t id, EventHandle event) override {
    return Call("events", table_.event_free, id, event);
  }

  absl::StatusOr<void*> WrapHost(int32_t id, void* host, uint64_t bytes) override {
    void* data = nullptr;
    LATHE_RETURN_IF_ERROR(Call("wrapping host memory", table_.wrap_host, id, host, bytes, &data));
    return data;
  }
  absl::Status UnwrapHost(int32_t id, void* data) override {
    return Call("wrapping host memory", table_.unwrap_host, id, data);
  }
  absl::StatusOr<void*> ExportHost(int32_t id, void* data, uint64_t bytes) override {
    void* host = nullptr;
    LATHE_RETURN_IF_ERROR(
        Call("exporting memory to the host", table_.export_host, id, data, bytes, &host));
    return host;
  }

  absl::Status MakeCurrent(int32_t id) override {
    if (table_.make_current == nullptr) return identity_->CheckAlive();
    return Call("make current", table_.make_current, id);
  }
  absl::Status Health(int32_t id) override {
    if (table_.status == nullptr) return identity_->CheckAlive();
    return Call("status", table_.status, id);
  }

 private:
  template <class Entry, class... A>
  absl::Status Invoke(Entry entry, A... arguments) const {
    lathe_value error{};
    if (entry(table_.self, arguments..., &error) == 0) return absl::OkStatus();
    return TakePluginError(&error, identity_->origin);
  }
  template <class Entry, class... A>
  absl::Status Call(const char* what, Entry entry, A... arguments) const {
    if (entry == nullptr) return Unsupported(what);
    LATHE_RETURN_IF_ERROR(identity_->CheckAlive());
    return Invoke(entry, arguments...);
  }

  absl::Status Broken(const std::string& what) const {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      identity_->origin + ": " + what);
  }

  absl::Status FillByCopies(int32_t id, void* data, uint64_t offset, uint64_t bytes,
                            uint64_t pattern, int32_t pattern_bytes, StreamHandle stream) const {
    std::vector<char> host(static_cast<size_t>(std::min(bytes, kFillChunkBytes)));
    for (size_t i = 0; i < host.size(); ++i) {
      host[i] = static_cast<char>(pattern >> (8 * (i % static_cast<size_t>(pattern_bytes))));
    }
    for (uint64_t done = 0; done < bytes; done += host.size()) {
      auto count = static_cast<int64_t>(std::min<uint64_t>(bytes - done, host.size()));
      const DLTensor from = {host.data(), {kDLCPU, 0}, 1, {kDLUInt, 8, 1}, &count, nullptr, 0};
      DLTensor to = from;
      to.data = data;
      to.device = {static_cast<DLDeviceType>(kind_), id};
      to.byte_offset = offset + done;
      LATHE_RETURN_IF_ERROR(Call("copy", table_.copy, &from, &to, stream));
    }
    return absl::OkStatus();
  }

  const PluginIdentity* const identity_;
  const int32_t kind_;
  const lathe_device_api table_;
};

}  // namespace

std::unique_ptr<DeviceAPI> MakePluginDevice(const PluginIdentity* identity, int32_t kind,
                                            const lathe_device_api& table) {
  return std::make_unique<PluginDevice>(identity, kind, table);
}

}  // namespace lathe::runtime
