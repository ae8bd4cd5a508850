// Passes bytes between pairs of sockets, inside the system: they are not copied through this
// process (splice). A thread of its own does it, so that much traffic does not delay the proxy.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"

namespace lathe::runtime::rpc {

// A pair ends when both sides have said all, when one of them breaks or sends urgent data (which
// the protocol does not), when one side has ended and the other one does not within ten seconds,
// and when the system finds that one is not reachable any more (half a minute). The destructor ends
// all pairs.
class Relay {
 public:
  // `ended` is called from the relay's thread. `problem`: why this side ended the pair, or empty.
  using Ended = std::function<void(uint64_t pair, std::string_view problem)>;
  // `wake`: an eventfd of the relay's own.
  Relay(Ended ended, FileHandle wake);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

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
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<int> large_pipes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Pair>> added_;  // not taken by the thread yet
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace lathe::runtime::rpc
