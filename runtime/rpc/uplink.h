// The connection of a device's server to what sends it clients, a tracker or a proxy, as a state
// machine: it greets, says what the device is, and stays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// Not thread-safe. Times are seconds of any clock that does not go back.
class Uplink {
 public:
  virtual ~Uplink() = default;
  Uplink(const Uplink&) = delete;
  Uplink& operator=(const Uplink&) = delete;

  void OnBytes(std::string_view bytes, double now);
  // Call it at least once a second.
  void OnTick(double now);
  std::string TakeOutput() { return channel_.TakeOutput(); }
  // Why the connection is of no use any more; OK as long as it is.
  const absl::Status& end() const { return end_; }
  // The other side has been told what the device is.
  bool registered() const { return registered_; }

 protected:
  // `far`: what the other side must be.
  Uplink(Greeting greeting, ProgramRole far, double now);
  // The message, as a frame, that follows the greeting.
  virtual std::string First() const = 0;
  // Any message but heartbeats and refusals.
  virtual absl::Status OnMessage(const Frame& frame) = 0;
  template <class Message>
  void Send(const Message& message) {
    channel_.Write(EncodeFrame(message));
  }

 private:
  absl::Status OnFrame(const Frame& frame);

  Greeting greeting_;
  ProgramRole far_;
  Channel channel_{kMostControlBytes};
  bool registered_ = false;
  double heard_, beat_;
  uint64_t beats_ = 0;
  absl::Status end_;
};

}  // namespace lathe::runtime::rpc
