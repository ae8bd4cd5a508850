// Devices of the far side.
#include <string>
#include <utility>

#include "runtime/rpc/items.h"
#include "runtime/rpc/service_parts.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {

absl::StatusOr<DeviceAPI*> Service::FindDevice(int64_t kind, int64_t id) {
  if (kind < 0 || kind > 0xffff || id < 0 || id > 0xffff)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      "a device has no such kind or number");
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, session_->FindDeviceAPI(static_cast<int32_t>(kind)));
  LATHE_ASSIGN_OR_RETURN(const int32_t count, api->Count());
  if (id >= count)
    return MakeStatus(
        absl::StatusCode::kNotFound, "device-no-such-id",
        {DeviceKindName(static_cast<int32_t>(kind)), ":", std::to_string(id),
         " does not exist on the far side, which has ", std::to_string(count), " of that kind"});
  return api;
}

Service::Outcome Service::AskDevice(const Frame& frame) {
  const auto done = [&] { return EncodeFrame(Done{}, frame.request); };
  const auto handle = [&](const void* pointer) {
    Item item;
    item.kind = static_cast<uint64_t>(ItemKind::kInteger);
    item.integer = static_cast<int64_t>(PackHandle(pointer));
    return EncodeFrame(Result{std::move(item)}, frame.request);
  };
  switch (frame.type) {
    case CountDevices::kType: {
      CountDevices ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      if (ask.kind < 0 || ask.kind > 0xffff) return FindDevice(ask.kind, 0).status();
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api,
                             session_->FindDeviceAPI(static_cast<int32_t>(ask.kind)));
      LATHE_ASSIGN_OR_RETURN(const int32_t count, api->Count());
      return ItemResult(Value(count), frame.request);
    }
    case DeviceAttribute::kType: {
      DeviceAttribute ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      LATHE_ASSIGN_OR_RETURN(const Value value,
                             api->Attribute(static_cast<int32_t>(ask.id), ask.name));
      return ItemResult(value, frame.request);
    }
    case DeviceHealth::kType: {
      DeviceHealth ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      LATHE_RETURN_IF_ERROR(api->Health(static_cast<int32_t>(ask.id)));
      return done();
    }
    case Alloc::kType: {
      Alloc ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      const uint64_t alignment = ask.alignment;
      if (ask.bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
          alignment > uint64_t{1} << 30 || ask.bytes > uint64_t{1} << 62)
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                          "memory has a size, and an alignment that is a power of two");
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      LATHE_ASSIGN_OR_RETURN(void* const data, api->Alloc(static_cast<int32_t>(ask.id),
                                                          {ask.scope, ask.bytes, alignment,
                                                           UnpackDataType(ask.dtype), ask.shape}));
      return handle(data);
    }
    case MemoryState::kType: {
      MemoryState ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      LATHE_ASSIGN_OR_RETURN(const MemoryInfo info,
                             api->GetMemoryInfo(static_cast<int32_t>(ask.id), ask.scope));
      const std::vector<Value> both = {Value(static_cast<int64_t>(info.total)),
                                       Value(static_cast<int64_t>(info.free))};
      return ItemResult(Value(both), frame.request);
    }
    case Copy::kType: {
      Copy copy;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &copy)));
      LATHE_ASSIGN_OR_RETURN(const Tensor from, FromView(copy.from, session_->id().number));
      LATHE_ASSIGN_OR_RETURN(const Tensor to, FromView(copy.to, session_->id().number));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(copy.to.kind, copy.to.id));
      if (from.dtype() != to.dtype() || copy.from.shape != copy.to.shape)
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                          "a copy needs equal shapes and element types");
      if (copy.from.kind == copy.to.kind) {
        LATHE_RETURN_IF_ERROR(api->Copy(from.dl(), to.dl(), UnpackHandle(copy.stream)));
      } else {
        LATHE_RETURN_IF_ERROR(CopyTensor(from.dl(), to.dl()));
      }
      return done();
    }
    case Fill::kType: {
      Fill fill;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &fill)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(fill.kind, fill.id));
      const uint64_t size = fill.pattern_bytes;
      if (size != 1 && size != 2 && size != 4 && size != 8)
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                          "a pattern has 1, 2, 4 or 8 bytes");
      LATHE_RETURN_IF_ERROR(api->Fill(static_cast<int32_t>(fill.id), UnpackHandle(fill.memory),
                                      fill.offset, fill.bytes, fill.pattern,
                                      static_cast<int32_t>(size), UnpackHandle(fill.stream)));
      return done();
    }
    case NewStream::kType: {
      NewStream ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      if (ask.priority < 0 || ask.priority > static_cast<int64_t>(StreamKind::kHighPriority))
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                          "there is no such kind of stream");
      LATHE_ASSIGN_OR_RETURN(
          StreamHandle const stream,
          api->NewStream(static_cast<int32_t>(ask.id), static_cast<StreamKind>(ask.priority)));
      return handle(stream);
    }
    case SyncStream::kType: {
      SyncStream ask;
      LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &ask)));
      LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(ask.kind, ask.id));
      LATHE_RETURN_IF_ERROR(
          api->SyncStream(static_cast<int32_t>(ask.id), UnpackHandle(ask.stream)));
      return done();
    }
    default:
      return Lost(Unexpected(frame, "a request"));
  }
}

// Not answered: what fails here fails again where somebody waits for an answer. Does not ask how
// many devices there are, which may be a question to another machine: the handle tells.
void Service::TellDevice(const Frame& frame) {
  const auto tell = [&](int64_t kind, auto&& body) {
    if (kind < 0 || kind > 0xffff) return;
    const absl::StatusOr<DeviceAPI*> api = session_->FindDeviceAPI(static_cast<int32_t>(kind));
    if (api.ok()) body(**api);
  };
  if (frame.type == Free::kType) {
    Free free;
    if (!Lost(Decode(frame.body, &free)).ok()) return;
    tell(free.kind, [&](DeviceAPI& api) {
      api.Free(static_cast<int32_t>(free.id), free.scope, UnpackHandle(free.memory)).IgnoreError();
    });
    return;
  }
  FreeStream free;
  if (!Lost(Decode(frame.body, &free)).ok()) return;
  tell(free.kind, [&](DeviceAPI& api) {
    api.FreeStream(static_cast<int32_t>(free.id), UnpackHandle(free.stream)).IgnoreError();
  });
}

}  // namespace lathe::runtime::rpc
