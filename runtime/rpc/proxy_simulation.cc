#include "runtime/rpc/proxy_simulation.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lathe::runtime::rpc {
namespace {

constexpr double kLingerSeconds = 2;      // SocketLoop's, for a peer that does not close
constexpr double kHalfSeconds = 10;       // Relay's, for the other side of a pair
constexpr double kKeepAliveSeconds = 30;  // the system's

std::string AddressOf(uint64_t wire) { return "wire " + std::to_string(wire); }

}  // namespace

void ProxyNetwork::StartProxy() {
  proxy_ = std::make_unique<Proxy>(door_, [this](size_t size) { return RandomBytes(size); });
}

void ProxyNetwork::RestartProxy() {
  StartProxy();
  for (auto& [id, wire] : wires_) {
    wire.at = Wire::At::kGone;
    wire.proxy_closes = true;
    wire.role = Role::kEnded;
  }
  routes_.clear();
  control_pairs_.clear();
}

void ProxyNetwork::StopProxy() {
  stopped_ = true;
  proxy_->Stop();
  Act();
}

uint64_t ProxyNetwork::Dial(WireKind kind, WireEnd* end) {
  const uint64_t id = ++last_wire_;
  Wire& wire = wires_[id];
  wire.kind = kind;
  wire.end = end;
  proxy_->OnConnect(id, {AddressOf(id), false}, now_);
  Act();
  return id;
}

void ProxyNetwork::Send(uint64_t id, std::string_view bytes) {
  const auto at = wires_.find(id);
  if (at != wires_.end() && at->second.end != nullptr) at->second.to_proxy += bytes;
}

void ProxyNetwork::HangUp(uint64_t id) {
  const auto at = wires_.find(id);
  if (at != wires_.end()) at->second.end = nullptr;
}

void ProxyNetwork::Silence(uint64_t id) {
  const auto at = wires_.find(id);
  if (at != wires_.end()) at->second.silent = true;
}

void ProxyNetwork::Hold(uint64_t id, double until) {
  const auto at = wires_.find(id);
  if (at != wires_.end()) at->second.held = until;
}

void ProxyNetwork::StepNetwork(bool calm) {
  std::vector<uint64_t> ids;
  for (const auto& [id, wire] : wires_) ids.push_back(id);
  for (const uint64_t id : ids) StepWire(id, calm);
  proxy_->OnTick(now_);
  Act();
  std::erase_if(wires_, [](const auto& one) {
    return one.second.end == nullptr && one.second.at == Wire::At::kGone;
  });
}

void ProxyNetwork::StepWire(uint64_t id, bool calm) {
  Wire& wire = wires_.at(id);
  if (wire.at == Wire::At::kProxy && wire.closing != 0 && now_ - wire.closing > kLingerSeconds)
    ProxyHearsClosed(id);
  if (wire.at == Wire::At::kJoined) {
    if (wire.silent && wire.mute == 0) wire.mute = now_;
    if ((wire.mute != 0 && now_ - wire.mute > kKeepAliveSeconds) ||
        (wire.half != 0 && now_ - wire.half > kHalfSeconds))
      EndPair(wire.pair);
  }
  if (wire.silent || now_ < wire.held) return;
  ToProxy(id, calm);
  ToEnd(id, calm);
}

// In the order in which it was sent, and no more than the proxy reads now.
void ProxyNetwork::ToProxy(uint64_t id, bool calm) {
  Wire& wire = wires_.at(id);
  bool stuck = false;
  while (!wire.to_proxy.empty() && !stuck && (calm || Chance(70))) {
    size_t size = std::min<size_t>(wire.to_proxy.size(), 1 + random_() % 150);
    if (wire.at == Wire::At::kProxy && wire.closing == 0) {
      size = std::min(size, proxy_->Wanted(id));
      stuck = size == 0;
      if (stuck) break;
    }
    const std::string piece = wire.to_proxy.substr(0, size);
    wire.to_proxy.erase(0, size);
    if (wire.at == Wire::At::kJoined) {
      wires_.at(wire.partner).to_end += piece;
    } else if (wire.at == Wire::At::kProxy && wire.closing == 0) {
      ProxyHears(id, piece);
    }
  }
  if (wire.end != nullptr) return;
  if (wire.at == Wire::At::kJoined && wire.to_proxy.empty()) {
    EndHalf(id);
  } else if (wire.at == Wire::At::kProxy) {
    // The proxy sees the end of a connection only if it reads it, or if the connection breaks.
    const bool read = wire.closing != 0 || (wire.to_proxy.empty() && proxy_->Wanted(id) > 0);
    if (read || Chance(10)) ProxyHearsClosed(id);
  }
}

void ProxyNetwork::ToEnd(uint64_t id, bool calm) {
  Wire& wire = wires_.at(id);
  while (!wire.to_end.empty() && wire.end != nullptr && (calm || Chance(70))) {
    const size_t size =
        std::min({wire.to_end.size(), wire.end->Wanted(id), size_t{1} + random_() % 150});
    if (size == 0) break;
    const std::string piece = wire.to_end.substr(0, size);
    wire.to_end.erase(0, size);
    wire.end->OnBytes(id, piece);
  }
  if (wire.end == nullptr || !wire.proxy_closes || !wire.to_end.empty()) return;
  WireEnd* const end = std::exchange(wire.end, nullptr);
  end->OnClosed(id);
}

// The party at `id` has said all, and the relay passes that on.
void ProxyNetwork::EndHalf(uint64_t id) {
  Wire& wire = wires_.at(id);
  Wire& other = wires_.at(wire.partner);
  other.proxy_closes = true;
  if (wire.half == 0) wire.half = now_;
  if (other.half != 0) EndPair(wire.pair);
}

void ProxyNetwork::EndPair(uint64_t pair) {
  for (auto& [id, wire] : wires_) {
    if (wire.at != Wire::At::kJoined || wire.pair != pair) continue;
    wire.at = Wire::At::kGone;
    wire.proxy_closes = true;
    wire.role = Role::kEnded;
  }
  control_pairs_.erase(pair);
  proxy_->OnPairEnded(pair, now_);
  Act();
}

void ProxyNetwork::ProxyHears(uint64_t id, const std::string& bytes) {
  Wire& wire = wires_.at(id);
  wire.heard.Feed(bytes);
  for (auto frame = wire.heard.Next(); frame.ok() && frame->has_value(); frame = wire.heard.Next())
    SeeFrame(id, **frame);
  proxy_->OnBytes(id, bytes, now_);
  Act();
  answering_ = 0;
}

void ProxyNetwork::ProxyHearsClosed(uint64_t id) {
  Wire& wire = wires_.at(id);
  wire.at = Wire::At::kGone;
  wire.proxy_closes = true;
  if (wire.role == Role::kLine) LineGone(id);
  wire.role = Role::kEnded;
  proxy_->OnClosed(id, now_);
  Act();
}

void ProxyNetwork::Act() {
  for (const Proxy::Action& action : proxy_->TakeActions()) Act(action);
  Check();
}

void ProxyNetwork::Act(const Proxy::Action& action) {
  using Kind = Proxy::Action::Kind;
  if (action.kind == Kind::kLog) return;
  const auto at = wires_.find(action.connection);
  // A connection that the network has closed meanwhile: the proxy hears of it next.
  if (at == wires_.end() || at->second.at == Wire::At::kGone) return;
  Wire& wire = at->second;
  if (wire.at == Wire::At::kJoined) return Fail("the proxy touches a connection that is joined");
  switch (action.kind) {
    case Kind::kSend:
      if (wire.proxy_closes) Fail("something is sent after the last word");
      SeeSent(action.connection, action.bytes);
      wire.to_end += action.bytes;
      break;
    case Kind::kClose:
      if (wire.closing != 0) Fail("a connection is closed twice");
      SeeClosed(action.connection);
      wire.proxy_closes = true;
      wire.closing = now_;
      break;
    default:
      SeeJoined(action);
      break;
  }
}

// What a party says, just before the proxy hears it.
void ProxyNetwork::SeeFrame(uint64_t id, const Frame& frame) {
  Wire& wire = wires_.at(id);
  Offer offer;
  Reach reach;
  Answer answer;
  Follow follow;
  if (wire.kind == WireKind::kLine && DecodeFrame(frame, &offer).ok()) {
    wire.role = Role::kLine;
    wire.key = offer.key;
    wire.device = offer.device;
    wire.sessions = offer.sessions;
  } else if (wire.kind == WireKind::kControl && DecodeFrame(frame, &reach).ok()) {
    wire.role = Role::kWaits;
    wire.key = reach.key;
    wire.device = reach.device.value_or("");
    wire.place = ++last_place_;
  } else if (wire.kind == WireKind::kControl && frame.type == Close::kType) {
    wire.asked_close = true;
  } else if (DecodeFrame(frame, &answer).ok()) {
    wire.token = answer.token;
    answering_ = id;
  } else if (DecodeFrame(frame, &follow).ok()) {
    wire.route = follow.route;
  }
}

// What the proxy says.
void ProxyNetwork::SeeSent(uint64_t id, const std::string& bytes) {
  Wire& wire = wires_.at(id);
  FrameReader reader(kMostControlBytes);
  reader.Feed(bytes);
  const Frame frame = **reader.Next();
  Visitor visitor;
  Reached reached;
  if (DecodeFrame(frame, &visitor).ok()) return SeeVisitor(id, visitor);
  if (frame.type == Queued::kType && wire.role != Role::kWaits)
    Fail("a client is told its place that does not wait");
  if (frame.type == Refused::kType) {
    if (++wire.told > 1) Fail("a connection is refused twice");
    if (wire.role != Role::kLine) wire.role = Role::kEnded;
  }
  if (!DecodeFrame(frame, &reached).ok()) return;
  const Wire* const answer = answering_ == 0 ? nullptr : &wires_.at(answering_);
  if (wire.role != Role::kVisits || answer == nullptr || answer->token != wire.token)
    return Fail("a client reaches a device that did not answer it");
  wire.role = Role::kReached;
  wire.partner = answering_;
  wires_.at(answering_).role = Role::kAnswer;
  if (!answered_.insert(wire.token).second) Fail("a token is used twice");
  routes_[reached.route] = {wire.visited, false};
}

void ProxyNetwork::SeeVisitor(uint64_t id, const Visitor& visitor) {
  const Wire& line = wires_.at(id);
  const auto at = std::find_if(wires_.begin(), wires_.end(), [&](const auto& one) {
    return AddressOf(one.first) == visitor.address;
  });
  if (line.role != Role::kLine || at == wires_.end()) return Fail("a visitor that is not there");
  Wire& client = at->second;
  if (client.kind == WireKind::kData) {
    const auto route = routes_.find(client.route);
    if (route == routes_.end()) return Fail("a visitor by a route that was not given");
    if (std::exchange(route->second.used, true)) Fail("a route is used twice");
    if (route->second.device != line.device) Fail("a route leads to another device");
  } else {
    if (client.role != Role::kWaits) return Fail("a visitor that does not wait");
    if (!Fits(line, client)) Fail("a device of another key");
    for (const auto& [number, other] : wires_) {
      if (other.role == Role::kWaits && other.place < client.place && Fits(line, other))
        Fail("a client is let past one that asked before");
    }
  }
  client.role = Role::kVisits;
  client.line = id;
  client.visited = line.device;
  client.token = visitor.token;
}

void ProxyNetwork::SeeClosed(uint64_t id) {
  Wire& wire = wires_.at(id);
  const bool client = wire.kind == WireKind::kControl || wire.kind == WireKind::kData;
  if (client && wire.told == 0 && !wire.asked_close)
    Fail("a client is not told why its connection ends");
  if (wire.role == Role::kLine) LineGone(id);
  wire.role = Role::kEnded;
}

// Those that were on their way to the device wait again.
void ProxyNetwork::LineGone(uint64_t line) {
  for (auto& [id, wire] : wires_) {
    if (wire.role != Role::kVisits || wire.line != line) continue;
    if (wire.kind == WireKind::kControl) wire.role = Role::kWaits;
  }
}

void ProxyNetwork::SeeJoined(const Proxy::Action& action) {
  Wire& client = wires_.at(action.connection);
  const auto other = wires_.find(action.other);
  if (other == wires_.end() || other->second.at != Wire::At::kProxy)
    return Fail("a client is joined with a connection that is not there");
  Wire& answer = other->second;
  if (client.kind == WireKind::kControl) {
    if (client.role != Role::kReached || client.partner != action.other)
      Fail("a client is joined that did not reach this device");
    control_pairs_[action.pair] = client.visited;
  } else {
    if (client.role != Role::kVisits || answering_ != action.other || client.token != answer.token)
      Fail("a data connection is joined with one that is not its answer");
    if (!answered_.insert(client.token).second) Fail("a token is used twice");
  }
  for (Wire* const wire : {&client, &answer}) {
    wire->at = Wire::At::kJoined;
    wire->role = Role::kEnded;
    wire->pair = action.pair;
  }
  client.partner = action.other;
  answer.partner = action.connection;
  answer.to_end += action.bytes;
}

bool ProxyNetwork::Fits(const Wire& line, const Wire& client) const {
  return (client.key.empty() || client.key == line.key) &&
         (client.device.empty() || client.device == line.device);
}

// Visitors of the device: on their way, about to greet it, and joined.
size_t ProxyNetwork::Load(const std::string& device) const {
  size_t load = 0;
  for (const auto& [pair, visited] : control_pairs_) load += visited == device;
  for (const auto& [id, wire] : wires_)
    load += wire.kind == WireKind::kControl && wire.visited == device &&
            (wire.role == Role::kVisits || wire.role == Role::kReached);
  return load;
}

void ProxyNetwork::Check() {
  size_t waiting = 0;
  for (const auto& [id, wire] : wires_) waiting += wire.role == Role::kWaits;
  if (waiting != proxy_->waiting() && !stopped_) Fail("the queue is another one");
  if (control_pairs_.size() > proxy_->pairs()) Fail("a pair is forgotten");
  for (const auto& [id, line] : wires_) {
    if (line.role != Role::kLine) continue;
    const size_t load = Load(line.device);
    if (load > line.sessions) Fail("a device has more visitors than room");
    if (load == line.sessions || stopped_) continue;
    for (const auto& [other, client] : wires_) {
      if (client.role == Role::kWaits && Fits(line, client))
        Fail("a client waits while a device has room");
    }
  }
}

}  // namespace lathe::runtime::rpc
