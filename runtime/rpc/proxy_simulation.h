// For proxy_simulation_test.cc: a proxy, the connections with it and the relay, simulated, and what
// must hold, which is seen from outside: from what goes over the connections.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/rpc/codec.h"
#include "runtime/rpc/proxy.h"
#include "runtime/rpc/simulation.h"

namespace lathe::runtime::rpc {

// Who made a connection, and what for.
enum class WireKind { kLine, kAnswer, kControl, kData, kStranger };

// What a party does with its connections.
class WireEnd {
 public:
  virtual ~WireEnd() = default;
  // How many bytes it reads now.
  virtual size_t Wanted(uint64_t /*wire*/) { return kMostControlBytes; }
  virtual void OnBytes(uint64_t wire, std::string_view bytes) = 0;
  // The other side closed it; it is nobody's now.
  virtual void OnClosed(uint64_t wire) = 0;
};

// A connection between a party and the proxy, or, once it is joined, another party.
struct Wire {
  enum class At { kProxy, kJoined, kGone };
  enum class Role { kNew, kLine, kWaits, kVisits, kReached, kAnswer, kEnded };

  WireKind kind = WireKind::kStranger;
  WireEnd* end = nullptr;        // nullptr: the party has closed it
  std::string to_proxy, to_end;  // bytes under way
  bool proxy_closes = false;     // a close follows `to_end`
  bool silent = false;           // for ever: nothing arrives any more, and nobody is told
  double held = 0;               // until then nothing arrives
  At at = At::kProxy;
  double closing = 0;              // since the proxy closed it; 0: it did not
  uint64_t partner = 0, pair = 0;  // if joined
  double half = 0, mute = 0;  // since one side of the pair ended, or went silent; 0: it did not

  // As seen from outside.
  FrameReader heard{kMostControlBytes};
  Role role = Role::kNew;
  std::string key, device;  // a line's own, or those that a client wants
  uint64_t sessions = 0;    // of a line
  uint64_t place = 0;       // a client's, in the order of asking
  uint64_t line = 0;        // that was told of this client
  std::string visited;      // the number of the line's device
  std::string token, route;
  int told = 0;  // refusals
  bool asked_close = false;
};

// Not thread-safe.
class ProxyNetwork : public SimulationBase {
 public:
  ProxyNetwork(uint64_t seed, DoorOptions door) : SimulationBase(seed), door_(std::move(door)) {
    StartProxy();
  }
  ProxyNetwork(const ProxyNetwork&) = delete;

  // A new connection.
  uint64_t Dial(WireKind kind, WireEnd* end);
  void Send(uint64_t wire, std::string_view bytes);
  // The party closes it.
  void HangUp(uint64_t wire);
  // Nothing arrives any more in either direction, for ever or until `until`.
  void Silence(uint64_t wire);
  void Hold(uint64_t wire, double until);

  // What time does to the connections and to the proxy.
  void StepNetwork(bool calm);
  // All connections with the earlier one are closed.
  void RestartProxy();
  void StopProxy();
  Proxy& proxy() { return *proxy_; }
  size_t wires() const { return wires_.size(); }

 protected:
  using Role = Wire::Role;

 private:
  // What was found about a route when it was given.
  struct Route {
    std::string device;
    bool used = false;
  };

  void StartProxy();
  void StepWire(uint64_t id, bool calm);
  void ToProxy(uint64_t id, bool calm);
  void ToEnd(uint64_t id, bool calm);
  void ProxyHears(uint64_t id, const std::string& bytes);
  void ProxyHearsClosed(uint64_t id);
  void EndHalf(uint64_t id);
  void EndPair(uint64_t pair);
  void Act();
  void Act(const Proxy::Action& action);

  void SeeFrame(uint64_t id, const Frame& frame);
  void SeeSent(uint64_t id, const std::string& bytes);
  void SeeVisitor(uint64_t line, const Visitor& visitor);
  void SeeClosed(uint64_t id);
  void SeeJoined(const Proxy::Action& action);
  void LineGone(uint64_t line);
  void Check();
  bool Fits(const Wire& line, const Wire& client) const;
  size_t Load(const std::string& device) const;

  DoorOptions door_;
  std::unique_ptr<Proxy> proxy_;
  std::map<uint64_t, Wire> wires_;
  std::set<std::string> answered_;  // tokens that were used
  std::map<std::string, Route> routes_;
  std::map<uint64_t, std::string> control_pairs_;  // the device's number
  uint64_t last_wire_ = 0, last_place_ = 0;
  uint64_t answering_ = 0;  // the connection whose Answer the proxy takes now
  bool stopped_ = false;
};

}  // namespace lathe::runtime::rpc
