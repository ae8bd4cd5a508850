// Devices of this process behind handles, as a session has them at its far end.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/device_api.h"
#include "runtime/session/handle_table.h"
#include "runtime/session_table.h"
#include "runtime/tensor.h"

namespace lathe::runtime {

// Every handle that comes in is looked up, and every view measured against what was allocated.
// Fails with `session-closed`, `session-unknown-handle` and `session-view-outside`, and as the
// device itself does.
class LoopbackDevice final : public DeviceAPI {
 public:
  // Of `session`, which owns this, and with the work done by `local`, which lives for ever.
  LoopbackDevice(const SessionBase& session, DeviceAPI* local) : session_(session), local_(local) {}

  // A tensor of the session as the local device has it, for as long as `held` is kept.
  struct Local {
    DLTensor view;
    std::shared_ptr<const Held> held;
  };
  absl::StatusOr<Local> Resolve(const DLTensor& tensor) const;
  // A handle for memory that a function of the session returned, until it is freed.
  absl::StatusOr<void*> Share(const Tensor& tensor);
  // Gives everything back that nobody is at work on, once the session is closed.
  void Close();
  // Memory that is not freed; copies so far.
  size_t live() const { return memory_.size(); }
  int64_t copies() const { return copies_; }

  int32_t kind() const override { return local_->kind(); }
  absl::StatusOr<int32_t> Count() override;
  absl::StatusOr<Value> Attribute(int32_t id, std::string_view name) override;
  absl::StatusOr<void*> Alloc(int32_t id, const AllocRequest& request) override;
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
  absl::StatusOr<std::shared_ptr<const Held>> Find(const HandleTable& table, const void* handle,
                                                   int32_t id) const;
  // The local stream; null for the default one.
  absl::StatusOr<StreamHandle> Queue(int32_t id, StreamHandle stream) const;
  absl::StatusOr<void*> Hand(HandleTable& table, std::shared_ptr<const Held> held);

  const SessionBase& session_;
  DeviceAPI* local_;
  HandleTable memory_, streams_;
  std::atomic<int64_t> copies_{0};
};

}  // namespace lathe::runtime
