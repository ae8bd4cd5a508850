// A worker process as its supervisor has it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file.h"
#include "runtime/rpc/supervised_worker.h"

namespace lathe::runtime::rpc {

// Where the folders of workers are made: $TMPDIR, else /tmp.
std::string SessionFolderPlace();

// The destructor kills the process and all that it started, and removes the folder for temporary
// files ($TMPDIR) that the process has of its own, which may take long. If this process is killed
// before that, the next one that looks for such folders removes it.
class WorkerProcess final : public SupervisedWorker {
 public:
  // Starts argv[0], a path, with the socket at kWorkerDescriptor. Never forks this process, which
  // may have threads. Fails with `rpc-worker`.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(const std::vector<std::string>& argv,
                                                              const WorkerLimits& limits);
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;

  // Messages to the worker (worker.h). One that does not arrive is the end of the worker.
  void Pass(FileHandle socket, uint64_t request, std::string_view key) override;
  void Cancel(uint64_t request) override;
  void Kill() override;
  void AddTo(std::vector<pollfd>& waited) const override;
  // Of what it prints, the last 4 KiB are kept.
  size_t Listen() override;
  bool Ended(WorkerEnd* end) override;
  bool Abandon() override;

 private:
  WorkerProcess() = default;
  void ReadOutput();
  size_t ReadAnswers();
  void Send(char kind, uint64_t request, std::string_view key, int socket);

  pid_t pid_ = 0;
  std::string folder_;
  FileHandle socket_, output_;
  std::string text_, answer_;
  bool answers_ = true;
};

}  // namespace lathe::runtime::rpc
