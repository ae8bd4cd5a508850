// The devices of this process behind handles, as a session has them on its far side.
#pragma once

#include <atomic>
#include <memory>

#include "runtime/device_api.h"
#include "runtime/session/handle_table.h"
#include "runtime/session_table.h"
#include "runtime/tensor.h"

namespace lathe::runtime {

// Looks up every handle that it gets, and checks every view against the size of the allocation.
// Fails with `session-closed`, `session-unknown-handle` and `session-view-outside`, and as the
// device does.
class LoopbackDevice final : public DeviceAPI {
 public:
  // `session` owns this object; `local`, which does the work, lives until the process ends.
  LoopbackDevice(const SessionBase& session, DeviceAPI* local) : session_(session), local_(local) {}

  // A tensor of the session in the local device's form; valid as long as `held` is kept.
  struct Local {
    DLTensor view;
    std::shared_ptr<const Held> held;
  };
  absl::StatusOr<Local> Resolve(const DLTensor& tensor) const;
  // Makes a handle for memory that a function of the session returned, or gives to a function of
  // this side; the handle is valid until it is freed.
  absl::StatusOr<void*> Share(const Tensor& tensor);
  // Frees all objects that no work uses, after the session was closed.
  void Close();
  // The number of memory blocks not yet freed; the number of copies so far.
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
  absl::StatusOr<void*> ExportHost(int32_t id, void* data, uint64_t bytes) override;
  absl::Status MakeCurrent(int32_t id) override;
  absl::Status Health(int32_t id) override;

 private:
  absl::StatusOr<std::shared_ptr<const Held>> Find(const HandleTable& table, const void* handle,
                                                   int32_t id) const;
  // The local stream; null means the default stream.
  absl::StatusOr<StreamHandle> Queue(int32_t id, StreamHandle stream) const;
  absl::StatusOr<void*> Hand(HandleTable& table, std::shared_ptr<const Held> held);

  const SessionBase& session_;
  DeviceAPI* local_;
  HandleTable memory_, streams_;
  std::atomic<int64_t> copies_{0};
};

}  // namespace lathe::runtime
