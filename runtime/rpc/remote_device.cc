#include "runtime/rpc/remote_device.h"

#include <string>
#include <utility>

#include "runtime/rpc/items.h"
#include "runtime/rpc/remote_session.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

bool OnHost(const DLTensor& tensor) { return Device::FromPacked(tensor.device).is_host(); }

uint64_t BytesOf(const DLTensor& tensor) {
  return static_cast<uint64_t>(NumElements(tensor)) *
         static_cast<uint64_t>(DataType(tensor.dtype).bytes());
}

char* Elements(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

// A compact tensor on the host with the form of `tensor`.
absl::StatusOr<Tensor> CompactLike(const DLTensor& tensor) {
  return Tensor::Empty({tensor.shape, static_cast<size_t>(tensor.ndim)}, DataType(tensor.dtype));
}

}  // namespace

template <class Message>
absl::StatusOr<Item> RemoteDevice::AskItem(const Message& message, Undo undo) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const Frame frame,
                         session_.caller().Ask(message, {}, {}, std::move(undo)));
  if (frame.type == Done::kType) return Item();
  Result result;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &result));
  return std::move(result.item);
}

template <class Message>
absl::StatusOr<void*> RemoteDevice::AskHandle(const Message& message, Undo undo) {
  LATHE_ASSIGN_OR_RETURN(const Item item, AskItem(message, std::move(undo)));
  void* const handle = UnpackHandle(static_cast<uint64_t>(item.integer.value_or(0)));
  if (handle == nullptr) return MalformedItem(item);
  return handle;
}

absl::StatusOr<int32_t> RemoteDevice::Count() {
  LATHE_ASSIGN_OR_RETURN(const Item item, AskItem(CountDevices{kind_}));
  if (!item.integer || *item.integer < 0 || *item.integer > 0xffff) return MalformedItem(item);
  return static_cast<int32_t>(*item.integer);
}

absl::StatusOr<Value> RemoteDevice::Attribute(int32_t id, std::string_view name) {
  LATHE_ASSIGN_OR_RETURN(const Item item, AskItem(DeviceAttribute{kind_, id, std::string(name)}));
  return FromItem(item,
                  [](const Item& other) -> absl::StatusOr<Value> { return MalformedItem(other); });
}

absl::StatusOr<void*> RemoteDevice::Alloc(int32_t id, const AllocRequest& request) {
  return AskHandle(
      rpc::Alloc{kind_, id, std::string(request.scope), request.bytes, request.alignment,
                 PackDataType(request.dtype), Numbers(request.shape.begin(), request.shape.end())},
      [kind = kind_, id, scope = std::string(request.scope)](uint64_t data) {
        return EncodeFrame(rpc::Free{kind, id, scope, data});
      });
}

absl::Status RemoteDevice::Free(int32_t id, std::string_view scope, void* data) {
  session_.caller().Queue(rpc::Free{kind_, id, std::string(scope), PackHandle(data)});
  return absl::OkStatus();
}

absl::StatusOr<MemoryInfo> RemoteDevice::GetMemoryInfo(int32_t id, std::string_view scope) {
  LATHE_ASSIGN_OR_RETURN(const Item item, AskItem(MemoryState{kind_, id, std::string(scope)}));
  if (item.items.size() != 2) return MalformedItem(item);
  const auto bytes = [&](size_t i) {
    return static_cast<uint64_t>(item.items[i].integer.value_or(0));
  };
  return runtime::MemoryInfo{bytes(0), bytes(1)};
}

absl::Status RemoteDevice::Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) {
  if (OnHost(from)) return WriteTo(from, to, stream);
  if (OnHost(to)) return ReadFrom(from, to, stream);
  return AskItem(rpc::Copy{ToView(from, false), ToView(to, false), PackHandle(stream)}).status();
}

absl::Status RemoteDevice::WriteTo(const DLTensor& from, const DLTensor& to, StreamHandle stream) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  Tensor packed;
  const char* data = Elements(from);
  if (!IsCompact(from)) {
    LATHE_ASSIGN_OR_RETURN(packed, CompactLike(from));
    LATHE_RETURN_IF_ERROR(CopyTensor(from, packed.dl()));
    data = Elements(packed.dl());
  }
  const uint64_t bytes = BytesOf(from);
  return session_.caller()
      .Ask(Write{ToView(to, false), PackHandle(stream), bytes}, std::string_view(data, bytes))
      .status();
}

absl::Status RemoteDevice::ReadFrom(const DLTensor& from, const DLTensor& to, StreamHandle stream) {
  LATHE_RETURN_IF_ERROR(session_.CheckOpen());
  const uint64_t bytes = BytesOf(from);
  if (bytes == 0) return absl::OkStatus();
  Tensor packed;
  char* data = Elements(to);
  if (!IsCompact(to)) {
    LATHE_ASSIGN_OR_RETURN(packed, CompactLike(to));
    data = Elements(packed.dl());
  }
  LATHE_RETURN_IF_ERROR(session_.caller()
                            .Ask(Read{ToView(from, false), PackHandle(stream)}, {},
                                 Sink{.memory = data, .size = bytes})
                            .status());
  return packed ? CopyTensor(packed.dl(), to) : absl::OkStatus();
}

absl::Status RemoteDevice::Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes,
                                uint64_t pattern, int32_t pattern_bytes, StreamHandle stream) {
  return AskItem(rpc::Fill{kind_, id, PackHandle(data), offset, bytes, pattern,
                           static_cast<uint64_t>(pattern_bytes), PackHandle(stream)})
      .status();
}

absl::StatusOr<StreamHandle> RemoteDevice::NewStream(int32_t id, StreamKind kind) {
  return AskHandle(rpc::NewStream{kind_, id, static_cast<int64_t>(kind)},
                   [device = kind_, id](uint64_t stream) {
                     return EncodeFrame(rpc::FreeStream{device, id, stream});
                   });
}

absl::Status RemoteDevice::SyncStream(int32_t id, StreamHandle stream) {
  return AskItem(rpc::SyncStream{kind_, id, PackHandle(stream)}).status();
}

absl::Status RemoteDevice::FreeStream(int32_t id, StreamHandle stream) {
  session_.caller().Queue(rpc::FreeStream{kind_, id, PackHandle(stream)});
  return absl::OkStatus();
}

absl::Status RemoteDevice::MakeCurrent(int32_t) { return session_.CheckOpen(); }

absl::Status RemoteDevice::Health(int32_t id) { return AskItem(DeviceHealth{kind_, id}).status(); }

}  // namespace lathe::runtime::rpc
