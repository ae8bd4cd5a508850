// An uplink (uplink.h) with its socket: reaches the tracker or proxy, again and again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/socket_loop.h"

namespace lathe::runtime::rpc {

// Not thread-safe. `Link` is an Uplink.
template <class Link>
class Upstream {
 public:
  struct Options {
    std::string name;  // for messages: "tracker"
    std::string host;
    int port = 0;
    std::function<std::unique_ptr<Link>(double now)> link;  // a new one, for a new connection
    std::function<void(std::string_view line)> log;
  };
  explicit Upstream(Options options) : options_(std::move(options)) {}

  // The connection's number in the loop; 0 if there is none now.
  uint64_t connection() const { return connection_; }
  // Only while there is a connection.
  Link& link() { return *link_; }
  // Ends the connection, since this server ends.
  void Leave(SocketLoop& sockets) {
    leaves_ = true;
    if (connection_ != 0) sockets.Close(connection_);
  }
  void OnClosed() {
    connection_ = 0;
    if (leaves_) return;
    if (!link_->end().ok()) {
      Say(link_->end().message());
    } else if (registered_) {
      Say("the connection is lost");
    } else {
      Say("the connection was closed before this device was registered; is it a " + options_.name +
          "?");
    }
  }

  // Connects if that is due, and does what time asks for. Call it often: it does not wait.
  void Serve(SocketLoop& sockets, double now) {
    if (connection_ == 0 && !Connect(sockets, now)) return;
    link_->OnTick(now);
    sockets.Send(connection_, link_->TakeOutput());
    if (link_->end().ok()) {
      if (link_->registered() && !std::exchange(registered_, true)) Say("registered");
      return;
    }
    Say(link_->end().message());
    sockets.Take(connection_);
    connection_ = 0;
  }

 private:
  static constexpr double kRetrySeconds = 2;
  static constexpr double kDialSeconds = 10;

  // Whether there is a connection now.
  bool Connect(SocketLoop& sockets, double now) {
    if (!dial_) {
      if (now < next_attempt_) return false;
      next_attempt_ = now + kRetrySeconds;
      dial_.emplace(options_.host, options_.port, kDialSeconds);
    }
    if (!dial_->Done(/*wait_ms=*/0)) return false;
    absl::StatusOr<FileHandle> socket = dial_->Take();
    dial_.reset();
    if (!socket.ok()) {
      Say(socket.status().message());
      return false;
    }
    connection_ = sockets.Adopt(*std::move(socket));
    registered_ = false;
    link_ = options_.link(now);
    return true;
  }

  // Once, not each two seconds.
  void Say(std::string_view what) {
    if (options_.log && what != said_)
      options_.log(options_.name + " " + options_.host + ":" + std::to_string(options_.port) +
                   ": " + std::string(what));
    said_ = what;
  }

  Options options_;
  uint64_t connection_ = 0;
  std::unique_ptr<Link> link_;
  bool registered_ = false, leaves_ = false;
  double next_attempt_ = 0;
  std::optional<Dial> dial_;
  std::string said_;
};

}  // namespace lathe::runtime::rpc
