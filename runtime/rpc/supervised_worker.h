// What serves one session, as its supervisor has it: a process (worker_process.h), or a thread of
// this process (worker_thread.h).
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "runtime/rpc/supervisor.h"

namespace lathe::runtime::rpc {

// What a worker process may take of its machine.
struct WorkerLimits {
  // Bytes of memory (RLIMIT_DATA, since a limit of addresses stops GPUs); 0: no limit. Whoever asks
  // for more gets `out-of-memory` or `device-out-of-memory`.
  uint64_t memory = 0;
  // Descriptors that it may have open (RLIMIT_NOFILE, the soft limit); 0: as this process.
  uint64_t descriptors = 0;
  // It may change files of its folder only (confine.h), where the kernel can.
  bool confined = false;
};

// Not thread-safe. The destructor ends the worker, and returns when it has ended.
class SupervisedWorker {
 public:
  virtual ~SupervisedWorker() = default;

  // Gives it the session's connection. `request` is the one that Done answers; `key` is that of the
  // connection's TLS, or empty for none. Once.
  virtual void Pass(FileHandle socket, uint64_t request, std::string_view key) = 0;
  virtual void Cancel(uint64_t request) = 0;
  virtual void Kill() = 0;
  // Adds what to poll for.
  virtual void AddTo(std::vector<pollfd>& waited) const = 0;
  // Takes what the worker has printed and said. Returns how often it has said since the last time
  // that a request that was cancelled does not run.
  virtual size_t Listen() = 0;
  // True if it has ended; then `end` says how.
  virtual bool Ended(WorkerEnd* end) = 0;
  // Gives up a worker that was killed and does not end (a process in a driver that hangs): the
  // destructor does not wait for it any more. False if that cannot be.
  virtual bool Abandon() { return false; }
};

}  // namespace lathe::runtime::rpc
