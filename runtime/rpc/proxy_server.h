// A proxy on this machine: a Proxy (proxy.h) with its sockets, and the relay that passes the bytes.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/rpc/proxy.h"
#include "runtime/rpc/socket_loop.h"

namespace lathe::runtime::rpc {

struct ProxyOptions {
  ListenOptions listen;
  DoorOptions door;
  ProxyLimits limits;
  // What happens, in a line each. From the proxy's thread.
  std::function<void(std::string_view line)> log;
};

// Runs on a thread of its own. The destructor ends it.
class ProxyServer {
 public:
  // Fails as Listen does, and with `thread-refused`.
  static absl::StatusOr<std::unique_ptr<ProxyServer>> Start(ProxyOptions options);
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;

  int port() const;
  // Begins the end. Any thread, also a signal handler.
  void Stop();
  void Wait();

 private:
  class Loop;
  explicit ProxyServer(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace lathe::runtime::rpc
