// Makes a TCP connection on a thread of its own: looking up a name may take as long as the system
// likes, and cannot be ended.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/file.h"

namespace lathe::runtime::rpc {

// Not thread-safe. One that is destroyed early leaves its thread to end by itself: soon, unless a
// name is being looked up.
class Dial {
 public:
  // `host`: a name or a numeric address. Its addresses are tried in turn, each with its share of
  // the time that is left.
  Dial(const std::string& host, int port, double timeout_seconds);
  ~Dial();
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

  // Waits up to `wait_ms` for the end, and says whether it has come.
  bool Done(int wait_ms);
  // The connected socket, which blocks. Once, when it is done. Fails with `rpc-unreachable` (says
  // which addresses were tried) and `rpc-timeout`.
  absl::StatusOr<FileHandle> Take();

 private:
  struct Attempt;
  std::shared_ptr<Attempt> attempt_;
};

// The same, and waits. Throws if the caller is interrupted meanwhile (base/poll.h).
absl::StatusOr<FileHandle> ConnectTcp(const std::string& host, int port, double timeout_seconds);

}  // namespace lathe::runtime::rpc
