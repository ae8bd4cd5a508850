#include "runtime/session/loopback_device.h"

#include <cstdio>
#include <string>
#include <utility>

#include "base/dtype.h"
#include "runtime/session/session.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// True if all elements of a valid tensor are within memory of `bytes` bytes.
bool LiesWithin(const DLTensor& tensor, uint64_t bytes) {
  const int64_t element = DataType(tensor.dtype).bytes();
  int64_t low = 0, high = element, compact = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t extent = tensor.shape[i];
    if (extent == 0) return tensor.byte_offset <= bytes;
    const int64_t stride = tensor.strides == nullptr ? compact : tensor.strides[i];
    compact *= extent;
    int64_t reach = 0;
    if (__builtin_mul_overflow(stride, extent - 1, &reach) ||
        __builtin_mul_overflow(reach, element, &reach))
      return false;
    int64_t& end = reach < 0 ? low : high;
    if (__builtin_add_overflow(end, reach, &end)) return false;
  }
  const auto offset = static_cast<int64_t>(tensor.byte_offset);
  return offset >= 0 && offset + low >= 0 && high <= static_cast<int64_t>(bytes) - offset;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Held>> LoopbackDevice::Find(const HandleTable& table,
                                                                 const void* handle,
                                                                 int32_t id) const {
  std::shared_ptr<const Held> held = table.Find(handle);
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());  // a close in between may have freed it
  if (held != nullptr && held->id == id) return held;
  char text[32];
  std::snprintf(text, sizeof(text), "%p", handle);
  return MakeStatus(absl::StatusCode::kInvalidArgument, "session-unknown-handle",
                    {Describe(session_), " has nothing by the handle ", text, " on device ",
                     DeviceKindName(kind()), ":", std::to_string(id),
                     "\nexpected: what it gave for this device, and not freed"});
}

absl::StatusOr<void*> LoopbackDevice::Hand(HandleTable& table, std::shared_ptr<const Held> held) {
  if (void* const handle = table.Add(std::move(held))) return handle;
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return MakeStatus(absl::StatusCode::kResourceExhausted, "device-out-of-memory",
                    {Describe(session_), " has no more handles"});
}

absl::StatusOr<StreamHandle> LoopbackDevice::Queue(int32_t id, StreamHandle stream) const {
  if (stream == nullptr) return stream;
  LATHE_ASSIGN_OR_RETURN(const auto held, Find(streams_, stream, id));
  return held->item;
}

absl::StatusOr<LoopbackDevice::Local> LoopbackDevice::Resolve(const DLTensor& tensor) const {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  const Device device = Device::FromPacked(tensor.device);
  Local local{tensor, nullptr};
  // The caller's own memory, on the near side of a copy.
  if (device.is_host()) return local;
  local.view.device = Device{device.kind, device.id, 0}.packed();
  int64_t elements = 1;
  for (int i = 0; i < tensor.ndim; ++i) elements *= tensor.shape[i];
  if (elements == 0) {
    local.view.data = nullptr;
    return local;
  }
  LATHE_ASSIGN_OR_RETURN(local.held, Find(memory_, tensor.data, device.id));
  if (!LiesWithin(tensor, local.held->bytes))
    return MakeStatus(absl::StatusCode::kOutOfRange, "session-view-outside",
                      {"a view of ", Describe(session_), " leaves the ",
                       std::to_string(local.held->bytes), " bytes that were allocated"});
  local.view.data = local.held->item;
  return local;
}

absl::StatusOr<void*> LoopbackDevice::Share(const Tensor& tensor) {
  return Hand(memory_, std::make_shared<const Held>(tensor.dl().data,
                                                    tensor.dl().byte_offset + tensor.num_bytes(),
                                                    tensor.device().id, [tensor] {}));
}

void LoopbackDevice::Close() {
  streams_.Close();
  memory_.Close();
}

absl::StatusOr<int32_t> LoopbackDevice::Count() {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return local_->Count();
}

absl::StatusOr<Value> LoopbackDevice::Attribute(int32_t id, std::string_view name) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return local_->Attribute(id, name);
}

absl::StatusOr<void*> LoopbackDevice::Alloc(int32_t id, const AllocRequest& request) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_ASSIGN_OR_RETURN(void* const data, local_->Alloc(id, request));
  auto held = std::make_shared<const Held>(
      data, request.bytes, id, [local = local_, id, scope = std::string(request.scope), data] {
        // A device that fails here is lost; its next call reports that.
        local->Free(id, scope, data).IgnoreError();
      });
  return Hand(memory_, std::move(held));
}

absl::Status LoopbackDevice::Free(int32_t id, std::string_view, void* data) {
  LATHE_RETURN_IF_ERROR(Find(memory_, data, id).status());
  memory_.Take(data);
  return absl::OkStatus();
}

absl::StatusOr<MemoryInfo> LoopbackDevice::GetMemoryInfo(int32_t id, std::string_view scope) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return local_->GetMemoryInfo(id, scope);
}

absl::Status LoopbackDevice::Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) {
  LATHE_ASSIGN_OR_RETURN(const Local source, Resolve(from));
  LATHE_ASSIGN_OR_RETURN(const Local target, Resolve(to));
  const Device side = Device::FromPacked((source.held != nullptr ? from : to).device);
  LATHE_ASSIGN_OR_RETURN(const StreamHandle queue, Queue(side.id, stream));
  ++copies_;
  return local_->Copy(source.view, target.view, queue);
}

absl::Status LoopbackDevice::Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes,
                                  uint64_t pattern, int32_t pattern_bytes, StreamHandle stream) {
  LATHE_ASSIGN_OR_RETURN(const auto held, Find(memory_, data, id));
  if (offset > held->bytes || bytes > held->bytes - offset)
    return MakeStatus(absl::StatusCode::kOutOfRange, "session-view-outside",
                      {"a fill of ", Describe(session_), " leaves the ",
                       std::to_string(held->bytes), " bytes that were allocated"});
  LATHE_ASSIGN_OR_RETURN(const StreamHandle queue, Queue(id, stream));
  return local_->Fill(id, held->item, offset, bytes, pattern, pattern_bytes, queue);
}

absl::StatusOr<StreamHandle> LoopbackDevice::NewStream(int32_t id, StreamKind kind) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const StreamHandle stream, local_->NewStream(id, kind));
  auto held = std::make_shared<const Held>(
      stream, 0, id, [local = local_, id, stream] { local->FreeStream(id, stream).IgnoreError(); });
  return Hand(streams_, std::move(held));
}

absl::Status LoopbackDevice::SyncStream(int32_t id, StreamHandle stream) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const StreamHandle queue, Queue(id, stream));
  return local_->SyncStream(id, queue);
}

absl::Status LoopbackDevice::FreeStream(int32_t id, StreamHandle stream) {
  LATHE_RETURN_IF_ERROR(Find(streams_, stream, id).status());
  streams_.Take(stream);
  return absl::OkStatus();
}

absl::StatusOr<void*> LoopbackDevice::ExportHost(int32_t id, void* data, uint64_t bytes) {
  LATHE_ASSIGN_OR_RETURN(const auto held, Find(memory_, data, id));
  if (!Device{kind(), id, 0}.is_host()) return Unsupported("memory that the host accesses");
  if (bytes <= held->bytes) return held->item;
  return MakeStatus(absl::StatusCode::kOutOfRange, "session-view-outside",
                    {"a view of ", Describe(session_), " leaves the ", std::to_string(held->bytes),
                     " bytes that were allocated"});
}

absl::Status LoopbackDevice::MakeCurrent(int32_t id) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return local_->MakeCurrent(id);
}

absl::Status LoopbackDevice::Health(int32_t id) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  return local_->Health(id);
}

}  // namespace lathe::runtime
