// A worker that is a thread of this process: for places that start no processes of their own, such
// as an app of a phone, or whose functions exist in this process only, as in a JVM.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/thread.h"
#include "runtime/rpc/service.h"
#include "runtime/rpc/supervised_worker.h"

namespace lathe::runtime::rpc {

// It isolates nothing: code that crashes takes this process with it, and nothing can end a function
// that does not look whether it is cancelled (cancel.h). Kill ends the connection at once, and
// cancels what runs; the worker has ended when that returns.
class WorkerThread final : public SupervisedWorker {
 public:
  // Fails with `rpc-worker`.
  static absl::StatusOr<std::unique_ptr<WorkerThread>> Start();
  ~WorkerThread() override;
  WorkerThread(const WorkerThread&) = delete;

  void Pass(FileHandle socket, uint64_t request, std::string_view key) override;
  void Cancel(uint64_t request) override;
  void Kill() override;
  void AddTo(std::vector<pollfd>& waited) const override;
  size_t Listen() override;
  bool Ended(WorkerEnd* end) override;

 private:
  WorkerThread(Ref<Session> session, FileHandle ended);
  absl::Status Serve(FileHandle socket, uint64_t request, const std::string& key);
  void CancelAll();
  void End(absl::Status why);

  Ref<Session> session_;
  FileHandle ended_;                 // becomes readable at the end
  FileHandle socket_;                // a second descriptor of the connection, to break it
  std::vector<uint64_t> cancelled_;  // not answered so far
  bool killed_ = false;
  mutable std::mutex mutex_;          // what follows
  std::unique_ptr<Service> service_;  // while it serves
  bool done_ = false;
  WorkerEnd end_;
  Thread thread_;  // the last: it uses the others
};

}  // namespace lathe::runtime::rpc
