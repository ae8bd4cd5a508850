// A worker process as its supervisor has it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file.h"
#include "runtime/rpc/supervisor.h"

namespace lathe::runtime::rpc {

// Not thread-safe. The destructor kills the process and all that it started. The process has a
// folder of its own for temporary files ($TMPDIR), which goes when it has ended, however it did: if
// this process is killed before that, the next one that makes such a folder removes it.
class WorkerProcess {
 public:
  // Starts argv[0], a path, with the socket at kWorkerDescriptor. Never forks this process, which
  // may have threads. Fails with `rpc-worker`.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(const std::vector<std::string>& argv);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  // Messages to the worker (worker.h). One that does not arrive is the end of the worker.
  void Pass(int socket, uint64_t request);
  void Cancel(uint64_t request);
  void Kill();
  // What it prints: to poll for; -1 after its end. The last 4 KiB are kept.
  int output() const { return output_.get(); }
  void ReadOutput();
  // Its socket: to poll for; -1 after its end.
  int answers() const { return answers_ ? socket_.get() : -1; }
  // How often it has said since the last time that a request that was cancelled does not run.
  size_t ReadAnswers();
  // True if it has ended; then `end` says how.
  bool Ended(WorkerEnd* end);

 private:
  WorkerProcess() = default;
  void Send(char kind, uint64_t request, int socket);
  void RemoveFolder();

  pid_t pid_ = 0;
  std::string folder_;
  FileHandle socket_, output_;
  std::string text_, answer_;
  bool answers_ = true;
};

}  // namespace lathe::runtime::rpc
