// The client's side of a control connection, as a state machine: bytes and times come in, bytes and
// a state come out. It does no I/O and has no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/codec.h"
#include "runtime/rpc/greeting.h"
#include "runtime/rpc/secret.h"

namespace lathe::runtime::rpc {

struct ControlOptions {
  std::string key;               // of the device; empty for any
  std::optional<Secret> secret;  // to prove, if the server asks for it
  double session_timeout = 0;    // seconds; 0: no limit
  Machine machine;               // of this side
  uint64_t lease = 0;            // from a tracker; 0: none
  std::string device;            // behind a proxy, as the tracker says; empty for any
};

// Not thread-safe. Times are seconds of any clock that does not go back.
class ControlClient {
 public:
  enum class State {
    kConnecting,  // Hello was sent, no session yet
    kQueued,      // others come first
    kOpen,        // the data connection may attach
    kEnded        // `end` says why
  };

  // `random` gives so many random bytes.
  ControlClient(ControlOptions options, std::function<std::string(size_t)> random, double now);

  void OnBytes(std::string_view bytes, double now);
  void OnClosed();
  // Call it at least twice a second.
  void OnTick(double now);
  void Cancel(uint64_t request);
  void Close();

  // What is to be sent.
  std::string TakeOutput() { return channel_.TakeOutput(); }
  State state() const { return state_; }
  uint64_t place() const { return place_; }            // if queued; 1: the next
  const std::string& token() const { return token_; }  // if open
  // Of the data connection's TLS, if open and there is a secret.
  const std::optional<Secret>& key() const { return key_; }
  // Of the proxy that is in between, for Follow; empty without one.
  const std::string& route() const { return route_; }
  const Machine& server() const { return greeting_.server(); }
  // Why the session ended: OK if Close ended it. Names: those of the server (`rpc-refused`,
  // `rpc-secret`, `session-crashed`...), `link-lost`, `rpc-timeout`.
  const absl::Status& end() const { return end_; }

 private:
  absl::Status OnMessage(const Frame& frame, double now);
  absl::Status OnReached(const Frame& frame, double now);
  void Ask();
  void End(absl::Status why);
  template <class Message>
  void Send(const Message& message) {
    channel_.Write(EncodeFrame(message));
  }

  ControlOptions options_;
  std::function<std::string(size_t)> random_;
  Greeting greeting_;
  std::string token_, route_;
  std::optional<Secret> key_;
  Channel channel_{kMostControlBytes};
  State state_ = State::kConnecting;
  bool asked_ = false, closing_ = false;
  double begun_, heard_, beat_;
  double interval_;
  uint64_t place_ = 0, beats_ = 0;
  absl::Status end_;
};

}  // namespace lathe::runtime::rpc
