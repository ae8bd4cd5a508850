// Connects clients with devices that dialled out, by key: a state machine without I/O and clock.
//
// A device offers itself and keeps that connection. A client greets the proxy, as it would greet a
// server, and says which device it wants. The proxy tells a device that has room; the device then
// makes a second connection, which the proxy joins with the client's: from then on it passes bytes
// that it does not understand, and the client greets the device itself. The client's data
// connection follows by a secret number, the route.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// Seconds.
struct ProxyLimits {
  // For a device to connect with a visitor, and for the visitor to greet it. Less than clients wait
  // for an answer (kHandshakeSeconds), so that they hear the reason.
  double visit = 5;
  // A client waits for a device of its key to come, or to come again, for so long.
  double absent = 10;
};

// What a proxy's process knows and the state machine cannot, for those who ask how it is.
struct ProxyFacts {
  double uptime = 0;   // seconds
  uint64_t bytes = 0;  // that were passed, both ways
};

// Not thread-safe. Times are seconds of any clock that does not go back.
class Proxy {
 public:
  struct Action {
    enum class Kind {
      kSend,   // `bytes` to `connection`
      kClose,  // `connection`, after what was sent
      kJoin,   // `connection` with `other`, which gets `bytes` first, as `pair`: they are no
               // connections now; OnPairEnded follows
      kAsked,  // `connection` asks how the proxy is; TellSummary follows
      kLog     // `bytes`: a line for people
    };
    Kind kind;
    uint64_t connection = 0, other = 0, pair = 0;
    std::string bytes;
  };

  // `random` gives so many random bytes.
  Proxy(DoorOptions door, std::function<std::string(size_t)> random, ProxyLimits limits = {});

  void OnConnect(uint64_t connection, Peer peer, double now);
  // How many bytes of a connection may be read now. Those after Answer, Follow and the second Hello
  // are for the other side.
  size_t Wanted(uint64_t connection) const;
  void OnBytes(uint64_t connection, std::string_view bytes, double now);
  void OnClosed(uint64_t connection, double now);
  void OnPairEnded(uint64_t pair, double now);
  // Tells `connection`, which asked, how the proxy is: Summary.
  void TellSummary(uint64_t connection, const ProxyFacts& facts, double now);
  // Call it at least once a second.
  void OnTick(double now);
  // Ends all connections but those that are joined, and takes no more.
  void Stop();

  std::vector<Action> TakeActions() { return std::exchange(actions_, {}); }
  // {"kind": "proxy", "version", "target", "uptime", "healthy", "problems": [], "devices": [{"key",
  // "waiting", "paired"}], "clients", "waiting": [{"key", "from", "seconds"}], "clients_ever",
  // "bytes"}: of each key, how many devices wait for clients, and how many have some; clients that
  // are connected with a device, and those that wait. Of long lists the first part is told.
  std::string Summary(const ProxyFacts& facts, double now) const;
  size_t devices() const;
  size_t waiting() const { return queue_.size(); }
  size_t pairs() const { return pairs_.size(); }
  size_t visits() const { return visits_.size(); }            // that devices have not answered
  size_t connections() const { return connections_.size(); }  // those that are joined are none

 private:
  enum class Role {
    kGreeting,  // its first message has not come, or its greeting is not complete
    kDevice,    // offered itself
    kWaits,     // a client in the queue
    kVisits,    // a client whose device was told
    kReached,   // a client that may greet its device
    kAnswers,   // a device's connection for a client that has not greeted yet
    kDone
  };
  struct Connection {
    Door door;
    Role role = Role::kGreeting;
    Channel channel{kMostControlBytes};
    double since = 0, heard = 0;  // since: it has this role
    std::string key, device;      // its own, or those that a client wants
    uint64_t sessions = 0;        // of a device, at most
    uint64_t other = 0;           // kReached, kAnswers: what it will be joined with
    uint64_t place = 0;           // told last
    uint64_t turn = 0;            // of a client: the order in which they asked
    double asked = 0;             // when
  };
  // A client whose device was told of it.
  struct Visit {
    uint64_t client = 0;
    std::string device;
    bool control = false;
  };
  struct Pair {
    std::string device, route;  // route: empty if it was followed, and for data
    bool control = false;
  };

  absl::Status OnFrame(uint64_t id, const Frame& frame, double now);
  absl::Status OnOffer(uint64_t id, const Frame& frame, double now);
  absl::Status OnReach(uint64_t id, const Frame& frame, double now);
  absl::Status OnAnswer(uint64_t id, const Frame& frame, double now);
  absl::Status OnFollow(uint64_t id, const Frame& frame, double now);
  void Announce(uint64_t client, uint64_t device, bool control, double now);
  void Join(uint64_t client, uint64_t answer, Pair pair, std::string bytes);
  // The connection of the device; 0 if it is not there.
  uint64_t FindDevice(const std::string& device) const;
  std::map<std::string_view, size_t> Loads() const;
  bool Exists(const Connection& client) const;
  // Gives clients that wait to devices that have room, if anything has changed.
  void Match(double now);
  void Forget(uint64_t id, double now);
  void Refuse(uint64_t id, const absl::Status& reason);
  void Log(std::initializer_list<std::string_view> parts);
  template <class Message>
  void Send(uint64_t connection, const Message& message) {
    Write(connection, EncodeFrame(message));
  }
  void Write(uint64_t connection, std::string_view frame);

  DoorOptions door_;
  ProxyLimits limits_;
  std::function<std::string(size_t)> random_;
  std::map<uint64_t, Connection> connections_;
  std::vector<uint64_t> queue_;          // clients that wait, by their turns
  std::map<std::string, Visit> visits_;  // by the token for Answer
  std::map<uint64_t, Pair> pairs_;
  uint64_t last_pair_ = 0, last_turn_ = 0, clients_ = 0;  // clients_: ever connected
  bool changed_ = false;  // a device, a client or a place: Match has something to do
  bool stopped_ = false;
  std::vector<Action> actions_;
};

}  // namespace lathe::runtime::rpc
