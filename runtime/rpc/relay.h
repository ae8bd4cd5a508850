// Passes bytes between pairs of sockets, inside the system: they are not copied through this
// process (splice). A thread of its own does it, so that much traffic does not delay the proxy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/file.h"
#include "base/thread.h"

struct tcp_info;

namespace lathe::runtime::rpc {

inline constexpr double kLostPeerSeconds = 30;

// Whether the peer of a connection has left unanswered for too long what the system has sent it. A
// peer that lives and takes no bytes answers. TCP_USER_TIMEOUT would not tell them apart.
bool IsLost(const tcp_info& state, double lost_seconds);

// A pair ends when both sides have said all, when one of them breaks or sends urgent data (which
// the protocol does not), when one side has ended and the other one does not within ten seconds,
// and when one is not reachable any more (half a minute to one and a half; some minutes if it took
// no bytes before). One that is and takes no bytes, perhaps because it computes, is waited for. The
// destructor ends all pairs.
class Relay {
 public:
  // `ended` is called from the relay's thread. `problem`: why this side ended the pair, or empty.
  using Ended = std::function<void(uint64_t pair, std::string_view problem)>;
  // `wake`: an eventfd of the relay's own. `lost_seconds`: how long a side may leave unanswered
  // what the system sends it.
  Relay(Ended ended, FileHandle wake, double lost_seconds = kLostPeerSeconds);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Once, before the first pair. Fails with `thread-refused`.
  absl::Status Start();
  // `first`: a few bytes for `two`, before all others.
  void Add(uint64_t pair, FileHandle one, FileHandle two, std::string_view first);
  // How many bytes were passed, both ways, by all pairs there were. Any thread.
  uint64_t bytes() const { return bytes_; }

 private:
  class Direction;
  class Pair;
  void Run();

  Ended ended_;
  FileHandle wake_;
  const double lost_seconds_;
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<int> large_pipes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pair>> added_;  // not taken by the thread yet
  bool stops_ = false;
  Thread thread_;
};

}  // namespace lathe::runtime::rpc
