// Lends the devices of servers to clients, by key: a state machine without I/O and clock.
//
// A server registers its device and keeps the connection. A client asks for a key and waits; the
// tracker lends it a free device with a number, the lease, which it tells to both. The server takes
// one session with it, ends it by its own clock, and says when it is free again. Numbers grow, and
// servers refuse older ones: a lease that was lost on the way cannot be used twice.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// A request that waits gains one step of priority each so many seconds: none waits for ever.
inline constexpr double kAgeSeconds = 30;
// A request for a key that no device ever had is refused after this: some may register meanwhile.
inline constexpr double kUnknownKeySeconds = 10;

// Not thread-safe. Times are seconds of any clock that does not go back.
class Tracker {
 public:
  struct Action {
    enum class Kind {
      kSend,   // `bytes` to `connection`
      kClose,  // `connection`, after what was sent
      kLog     // `bytes`: a line for people
    };
    Kind kind;
    uint64_t connection = 0;
    std::string bytes;
  };

  // `random` gives so many random bytes. Leases are greater than `last_lease`, which must be above
  // those of a tracker that ran here before: the time in microseconds is.
  Tracker(DoorOptions door, std::function<std::string(size_t)> random, uint64_t last_lease);

  void OnConnect(uint64_t connection, Peer peer, double now);
  void OnBytes(uint64_t connection, std::string_view bytes, double now);
  void OnClosed(uint64_t connection, double now);
  // Call it at least once a second.
  void OnTick(double now);
  // Ends all connections, and takes no more.
  void Stop();

  std::vector<Action> TakeActions() { return std::exchange(actions_, {}); }
  // {"kind": "tracker", "version", "target", "uptime", "healthy", "problems": [], "keys": [{"key",
  // "free", "lent", "waiting"}], "devices": [{"key", "host", "port", "lease"}], "waiting": [{"key",
  // "priority", "seconds", "from"}], "left_out": how many entries the lists have not}. Uptime is
  // since the first connection.
  std::string Summary(double now) const;

 private:
  enum class Role { kGreeting, kIdle, kServer, kWaits, kDone };
  struct Connection {
    Door door;
    Role role = Role::kGreeting;
    Channel channel{kMostControlBytes};
    double since = 0, heard = 0;
    std::string key;
    // Of a server.
    std::string host;
    uint64_t port = 0, lease = 0;
    std::optional<std::string> device;  // of a proxy
    double free_since = 0;
    // Of a request.
    int64_t priority = 0;
    double asked = 0;
    uint64_t place = 0;  // told last
  };

  absl::Status OnFrame(uint64_t id, Connection& connection, const Frame& frame, double now);
  absl::Status OnRegister(uint64_t id, Connection& connection, const Register& device, double now);
  // Lends devices that are free to those who wait, if anything has changed.
  void Match(double now);
  void Lend(uint64_t client, uint64_t server);
  // A key that no device ever had is a mistake of whoever asks. One whose devices are away is not:
  // they may be starting.
  void RefuseUnknownKeys(double now);
  double Rank(const Connection& request, double now) const;
  void Refuse(uint64_t id, const absl::Status& reason);
  void Log(std::initializer_list<std::string_view> parts);
  template <class Message>
  void Send(uint64_t connection, const Message& message) {
    Write(connection, EncodeFrame(message));
  }
  void Write(uint64_t connection, std::string_view frame);

  DoorOptions door_;
  std::function<std::string(size_t)> random_;
  std::map<uint64_t, Connection> connections_;
  std::set<std::string> keys_;  // of all devices that ever registered
  uint64_t last_lease_;
  bool changed_ = false;  // a device or a request: Match has something to do
  bool stopped_ = false;
  std::optional<double> started_;  // when the first connection came
  std::vector<Action> actions_;
};

}  // namespace lathe::runtime::rpc
