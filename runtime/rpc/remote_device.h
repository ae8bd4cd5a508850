// The devices of one kind on the far side of a session.
#pragma once

#include <string_view>

#include "runtime/device_api.h"
#include "runtime/rpc/caller.h"
#include "runtime/rpc/messages.h"

namespace lathe::runtime::rpc {

class RemoteSession;

// Pointers of memory and streams are handles of the far side, which checks them. Owned by its
// session; after the session's end everything fails with `session-closed` or the reason of the end.
class RemoteDevice final : public DeviceAPI {
 public:
  RemoteDevice(RemoteSession& session, int32_t kind) : session_(session), kind_(kind) {}

  int32_t kind() const override { return kind_; }
  absl::StatusOr<int32_t> Count() override;
  absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) override;
  absl::StatusOr<void*> Alloc(int32_t id, const AllocRequest& request) override;
  // Queued: done before the next request.
  absl::Status Free(int32_t id, std::string_view scope, void* data) override;
  absl::StatusOr<MemoryInfo> GetMemoryInfo(int32_t id, std::string_view scope) override;
  absl::Status Copy(const DLTensor& from, const DLTensor& to, StreamHandle stream) override;
  absl::Status Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                    int32_t pattern_bytes, StreamHandle stream) override;
  absl::StatusOr<StreamHandle> NewStream(int32_t id, StreamKind kind) override;
  absl::Status SyncStream(int32_t id, StreamHandle stream) override;
  absl::Status FreeStream(int32_t id, StreamHandle stream) override;
  absl::Status MakeCurrent(int32_t id) override;
  absl::Status Health(int32_t id) override;

 private:
  // For a request whose answer is an item or nothing.
  template <class Message>
  absl::StatusOr<Item> AskItem(const Message& message, Undo undo = {});
  template <class Message>
  absl::StatusOr<void*> AskHandle(const Message& message, Undo undo);
  absl::Status WriteTo(const DLTensor& from, const DLTensor& to, StreamHandle stream);
  absl::Status ReadFrom(const DLTensor& from, const DLTensor& to, StreamHandle stream);

  RemoteSession& session_;
  int32_t kind_;
};

}  // namespace lathe::runtime::rpc
