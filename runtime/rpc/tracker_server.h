// A tracker on this machine: a Tracker (tracker.h) with its sockets.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/rpc/socket_loop.h"
#include "runtime/rpc/tracker.h"

namespace lathe::runtime::rpc {

struct TrackerOptions {
  ListenOptions listen;
  DoorOptions door;
  // What happens, in a line each. From the tracker's thread.
  std::function<void(std::string_view line)> log;
};

// Runs on a thread of its own. The destructor ends it.
class TrackerServer {
 public:
  // Fails as Listen does, and with `thread-refused`.
  static absl::StatusOr<std::unique_ptr<TrackerServer>> Start(TrackerOptions options);
  ~TrackerServer();
  TrackerServer(const TrackerServer&) = delete;

  int port() const;
  // Begins the end. Any thread, also a signal handler.
  void Stop();
  void Wait();

 private:
  class Loop;
  explicit TrackerServer(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace lathe::runtime::rpc
