#include "runtime/rpc/proxy.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "runtime/rpc/crowd.h"
#include "runtime/rpc/planted.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kRandomBytes = 16;
constexpr uint64_t kMostSessions = 1000;

absl::Status Problem(absl::StatusCode code, std::string_view name,
                     std::initializer_list<std::string_view> text) {
  return MakeStatus(code, name, text);
}

std::string Seconds(double seconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "%g seconds", seconds);
  return text;
}

}  // namespace

Proxy::Proxy(DoorOptions door, std::function<std::string(size_t)> random, ProxyLimits limits)
    : door_(std::move(door)), limits_(limits), random_(std::move(random)) {
  door_.role = ProgramRole::kProxy;
}

void Proxy::Log(std::initializer_list<std::string_view> parts) {
  std::string line;
  for (const std::string_view part : parts) line.append(part);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  actions_.push_back({Action::Kind::kLog, 0, 0, 0, std::move(line)});
}

void Proxy::OnConnect(uint64_t id, Peer peer, double now) {
  Connection& connection =
      connections_.emplace(id, Connection{Door(door_, std::move(peer), random_(kRandomBytes))})
          .first->second;
  connection.since = connection.heard = now;
  const Crowd crowd = CrowdOf(
      connections_, [](const Connection& one) { return one.role == Role::kDone; },
      [](const Connection& one) { return one.role == Role::kGreeting; });
  if (const auto refused = crowd.Refused("proxy", id, stopped_))
    Refuse(refused->first, refused->second);
}

void Proxy::Write(uint64_t id, std::string_view frame) {
  Channel& channel = connections_.at(id).channel;
  channel.Write(frame);
  std::string bytes = channel.TakeOutput();
  if (!bytes.empty()) actions_.push_back({Action::Kind::kSend, id, 0, 0, std::move(bytes)});
}

void Proxy::Refuse(uint64_t id, const absl::Status& reason) {
  Connection& connection = connections_.at(id);
  Log({connection.door.peer().address, ": refused: ", reason.message()});
  Send(id, Refused{ToFailure(reason)});
  actions_.push_back({Action::Kind::kClose, id, 0, 0, {}});
  connection.role = Role::kDone;
}

size_t Proxy::Wanted(uint64_t id) const {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return 0;
  const Connection& connection = at->second;
  switch (connection.role) {
    case Role::kAnswers:
    case Role::kDone:
      return 0;
    case Role::kReached:
      return connection.channel.wanted();
    case Role::kVisits:
      // What a data connection says next is the device's.
      return connection.door.fresh() ? 0 : kMostControlBytes;
    default:
      return connection.door.fresh() ? connection.channel.wanted() : kMostControlBytes;
  }
}

void Proxy::OnBytes(uint64_t id, std::string_view bytes, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.role == Role::kDone) return;
  at->second.heard = now;
  at->second.channel.Feed(bytes);
  for (;;) {
    // A message may end the connection, or make it half of a pair.
    const auto still = connections_.find(id);
    if (still == connections_.end() || still->second.role == Role::kDone) break;
    absl::StatusOr<std::optional<Frame>> frame = still->second.channel.Next();
    absl::Status taken = frame.status();
    if (taken.ok() && !frame->has_value()) {
      Write(id, {});
      break;
    }
    if (taken.ok()) taken = OnFrame(id, **frame, now);
    if (taken.ok()) continue;
    Forget(id, now);
    Refuse(id, taken);
  }
  Match(now);
}

absl::Status Proxy::OnFrame(uint64_t id, const Frame& frame, double now) {
  Connection& connection = connections_.at(id);
  const bool client = connection.role == Role::kWaits || connection.role == Role::kVisits ||
                      connection.role == Role::kReached;
  if (connection.role == Role::kGreeting && connection.door.fresh()) {
    if (frame.type == Answer::kType) return OnAnswer(id, frame, now);
    if (frame.type == Follow::kType) return OnFollow(id, frame, now);
  }
  if (connection.role == Role::kGreeting && connection.door.open()) {
    if (frame.type == Offer::kType) return OnOffer(id, frame, now);
    if (frame.type == Reach::kType) return OnReach(id, frame, now);
    if (frame.type == AskSummary::kType) {
      actions_.push_back({Action::Kind::kAsked, id, 0, 0, {}});
      return absl::OkStatus();
    }
    return Unexpected(frame, "Offer or Reach");
  }
  if (connection.role == Role::kGreeting) {
    LATHE_ASSIGN_OR_RETURN(const std::string answer, connection.door.OnFrame(frame));
    Write(id, answer);
    if (connection.door.open() && connection.door.key())
      connection.channel.Protect(TlsSide::kServer, *connection.door.key());
    return absl::OkStatus();
  }
  if (frame.type == Heartbeat::kType) {
    Heartbeat beat;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &beat));
    // Nothing may be on its way to a client that is about to be joined.
    if (connection.role != Role::kReached) Send(id, beat);
    return absl::OkStatus();
  }
  if (client && frame.type == Close::kType) {
    Forget(id, now);
    actions_.push_back({Action::Kind::kClose, id, 0, 0, {}});
    connection.role = Role::kDone;
    return absl::OkStatus();
  }
  // The device's, which is not under the TLS of this proxy.
  if (connection.role == Role::kReached && frame.type == Hello::kType &&
      !connection.channel.is_protected()) {
    Connection& answer = connections_.at(connection.other);
    Pair pair{connection.device, answer.key, true};
    Log({connection.door.peer().address, ": connected with ",
         answer.device.empty() ? "a device" : answer.device});
    std::string hello(kHeaderBytes, '\0');
    PutHeader(frame.type, frame.request, frame.body, hello.data());
    Join(id, connection.other, std::move(pair), hello + frame.body);
    return absl::OkStatus();
  }
  return Unexpected(frame, "another message");
}

absl::Status Proxy::OnOffer(uint64_t id, const Frame& frame, double now) {
  Offer offer;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &offer));
  LATHE_RETURN_IF_ERROR(CheckKey(offer.key));
  if (offer.device.size() != kRandomBytes || offer.sessions == 0)
    return Problem(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                   {"a device is offered with a number of 16 bytes and room for a session; found ",
                    std::to_string(offer.device.size()), " bytes and room for ",
                    std::to_string(offer.sessions)});
  // The same device, whose earlier connection has not been missed yet.
  if (const uint64_t old = FindDevice(offer.device); old != 0) {
    Forget(old, now);
    actions_.push_back({Action::Kind::kClose, old, 0, 0, {}});
    connections_.at(old).role = Role::kDone;
  }
  Connection& connection = connections_.at(id);
  connection.role = Role::kDevice;
  connection.since = now;
  connection.key = offer.key;
  connection.device = offer.device;
  connection.sessions = std::min(offer.sessions, kMostSessions);
  changed_ = true;
  Log({"device `", offer.key, "` from ", connection.door.peer().address, ": offered"});
  return absl::OkStatus();
}

absl::Status Proxy::OnReach(uint64_t id, const Frame& frame, double now) {
  Reach reach;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &reach));
  LATHE_RETURN_IF_ERROR(CheckKey(reach.key));
  if (reach.device && reach.device->size() != kRandomBytes)
    return Problem(
        absl::StatusCode::kInvalidArgument, "rpc-malformed",
        {"a device's number has 16 bytes; found ", std::to_string(reach.device->size())});
  Connection& connection = connections_.at(id);
  connection.role = Role::kWaits;
  connection.since = now;
  connection.turn = ++last_turn_;
  connection.asked = now;
  connection.key = reach.key;
  connection.device = reach.device.value_or("");
  queue_.push_back(id);
  changed_ = true;
  return absl::OkStatus();
}

// The device takes a visitor.
absl::Status Proxy::OnAnswer(uint64_t id, const Frame& frame, double now) {
  Answer answer;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &answer));
  const auto at = visits_.find(answer.token);
  if (at == visits_.end())
    return Problem(absl::StatusCode::kNotFound, "rpc-refused",
                   {"the visitor has gone, or the answer's token is wrong"});
  const Visit visit = at->second;
  if (!Planted("visit-stays")) visits_.erase(at);
  if (!visit.control) {
    Join(visit.client, id, {visit.device, {}, false}, {});
    return absl::OkStatus();
  }
  Connection& client = connections_.at(visit.client);
  Connection& device = connections_.at(id);
  client.role = Role::kReached;
  client.since = device.since = now;
  client.device = visit.device;
  client.other = id;
  device.role = Role::kAnswers;
  device.other = visit.client;
  // Kept here until they are joined: the route, and a name for the log.
  device.key = random_(kRandomBytes);
  if (const uint64_t line = FindDevice(visit.device); line != 0)
    device.device =
        "`" + connections_.at(line).key + "` from " + connections_.at(line).door.peer().address;
  Send(visit.client, Reached{device.key});
  client.channel.MayEnd();
  return absl::OkStatus();
}

// The data connection of a session.
absl::Status Proxy::OnFollow(uint64_t id, const Frame& frame, double now) {
  Follow follow;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &follow));
  for (auto& [number, pair] : pairs_) {
    if (pair.route.empty() || !SameText(pair.route, follow.route)) continue;
    if (!Planted("route-twice")) pair.route.clear();
    const uint64_t device = FindDevice(pair.device);
    if (device == 0) break;
    Announce(id, device, /*control=*/false, now);
    return absl::OkStatus();
  }
  return Problem(absl::StatusCode::kPermissionDenied, "rpc-refused",
                 {"no session waits for this connection: its route is unknown, was used, or its "
                  "device is not there any more"});
}

void Proxy::Announce(uint64_t id, uint64_t device, bool control, double now) {
  Connection& client = connections_.at(id);
  client.role = Role::kVisits;
  client.since = now;
  const std::string token = random_(kRandomBytes);
  visits_[token] = {id, connections_.at(device).device, control};
  const Peer& peer = client.door.peer();
  Send(device, Visitor{token, peer.address, peer.same_user ? uint64_t{1} : 0});
}

void Proxy::Join(uint64_t client, uint64_t answer, Pair pair, std::string bytes) {
  clients_ += pair.control ? 1 : 0;
  pairs_[++last_pair_] = std::move(pair);
  actions_.push_back({Action::Kind::kJoin, client, answer, last_pair_, std::move(bytes)});
  connections_.erase(client);
  connections_.erase(answer);
}

uint64_t Proxy::FindDevice(const std::string& device) const {
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kDevice && connection.device == device) return id;
  }
  return 0;
}

size_t Proxy::devices() const {
  return static_cast<size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& one) { return one.second.role == Role::kDevice; }));
}

// How many sessions each device has, or is about to have.
std::map<std::string_view, size_t> Proxy::Loads() const {
  std::map<std::string_view, size_t> loads;
  for (const auto& [number, pair] : pairs_) {
    if (pair.control) ++loads[pair.device];
  }
  for (const auto& [token, visit] : visits_) {
    if (visit.control) ++loads[visit.device];
  }
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kReached) ++loads[connection.device];
  }
  return loads;
}

namespace {

template <class Connection>
bool Fits(const Connection& device, const Connection& client) {
  return (client.key.empty() || client.key == device.key) &&
         (client.device.empty() || client.device == device.device);
}

}  // namespace

bool Proxy::Exists(const Connection& client) const {
  return std::any_of(connections_.begin(), connections_.end(), [&](const auto& one) {
    return one.second.role == Role::kDevice && Fits(one.second, client);
  });
}

void Proxy::Match(double now) {
  if (!std::exchange(changed_, false)) return;
  struct Room {
    uint64_t id;
    const Connection& device;
    size_t load;
  };
  std::map<std::string_view, size_t> loads = Loads();
  std::vector<Room> rooms;
  for (const auto& [id, device] : connections_) {
    if (device.role == Role::kDevice) rooms.push_back({id, device, loads[device.device]});
  }
  std::vector<uint64_t> rest;
  for (const uint64_t id : std::exchange(queue_, {})) {
    // The one with the least to do of those that have room.
    Room* best = nullptr;
    for (Room& room : rooms) {
      const size_t most = room.device.sessions + (Planted("crowds") ? 1 : 0);
      if (room.load < most && Fits(room.device, connections_.at(id)) &&
          (best == nullptr || room.load < best->load))
        best = &room;
    }
    if (best == nullptr) {
      rest.push_back(id);
    } else {
      ++best->load;
      Announce(id, best->id, /*control=*/true, now);
    }
  }
  queue_ = std::move(rest);
  std::map<std::string_view, uint64_t> last;
  for (const uint64_t id : queue_) {
    Connection& client = connections_.at(id);
    const uint64_t place = ++last[client.key];
    if (std::exchange(client.place, place) != place) Send(id, Queued{place});
  }
}

// Ends what others have to do with a connection.
void Proxy::Forget(uint64_t id, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  const Role role = at->second.role;
  changed_ = changed_ || role != Role::kGreeting;
  queue_.erase(std::remove(queue_.begin(), queue_.end(), id), queue_.end());
  if (role == Role::kVisits && !Planted("visit-of-nobody"))
    std::erase_if(visits_, [&](const auto& one) { return one.second.client == id; });
  if (role == Role::kReached || role == Role::kAnswers) {
    const uint64_t other = at->second.other;
    at->second.role = Role::kGreeting;
    if (role == Role::kAnswers) {
      Refuse(other, Problem(absl::StatusCode::kUnavailable, "link-lost",
                            {"the device closed its connection"}));
    } else {
      actions_.push_back({Action::Kind::kClose, other, 0, 0, {}});
      connections_.at(other).role = Role::kDone;
    }
  }
  if (role != Role::kDevice) return;
  // Those that were on their way to it wait again, in their old places.
  for (auto visit = visits_.begin(); visit != visits_.end();) {
    if (visit->second.device != at->second.device) {
      ++visit;
      continue;
    }
    const uint64_t client = visit->second.client;
    if (visit->second.control) {
      connections_.at(client).role = Role::kWaits;
      connections_.at(client).since = now;
      connections_.at(client).place = 0;
      queue_.push_back(client);
    } else {
      Refuse(client, Problem(absl::StatusCode::kUnavailable, "link-lost", {"the device is gone"}));
    }
    visit = visits_.erase(visit);
  }
  std::sort(queue_.begin(), queue_.end(), [this](uint64_t one, uint64_t two) {
    return connections_.at(one).turn < connections_.at(two).turn;
  });
}

void Proxy::OnClosed(uint64_t id, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  if (at->second.role == Role::kDevice)
    Log({"device `", at->second.key, "` from ", at->second.door.peer().address, ": gone"});
  Forget(id, now);
  connections_.erase(id);
  Match(now);
}

void Proxy::OnPairEnded(uint64_t pair, double now) {
  changed_ = pairs_.erase(pair) > 0 || changed_;
  Match(now);
}

void Proxy::OnTick(double now) {
  std::vector<std::pair<uint64_t, absl::Status>> late;
  std::set<std::string> keys;
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kDevice) keys.insert("`" + connection.key + "`");
  }
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
  const auto add = [&](uint64_t id, absl::StatusCode code, std::string_view name,
                       std::initializer_list<std::string_view> text) {
    late.emplace_back(id, Problem(code, name, text));
  };
  for (auto& [id, connection] : connections_) {
    const bool client = connection.role == Role::kWaits || connection.role == Role::kVisits;
    if (connection.role == Role::kWaits && Exists(connection)) connection.since = now;
    if (connection.role == Role::kGreeting && now - connection.since > kHandshakeSeconds) {
      add(id, absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
          {"nothing was asked for within 10 seconds"});
    } else if (connection.role == Role::kWaits && now - connection.since > limits_.absent) {
      add(id, absl::StatusCode::kNotFound, "rpc-no-device",
          {"no device with the key `", connection.key,
           "` is at this proxy\nfound: ", list.empty() ? "no devices" : std::string_view(list)});
    } else if (connection.role == Role::kVisits && now - connection.since > limits_.visit &&
               !Planted("visits-for-ever")) {
      add(id, absl::StatusCode::kUnavailable, "rpc-unreachable",
          {"the device did not answer the proxy within ", Seconds(limits_.visit)});
    } else if (connection.role == Role::kReached && now - connection.since > limits_.visit) {
      add(id, absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
          {"the device was not greeted within ", Seconds(limits_.visit)});
    } else if ((connection.role == Role::kDevice || (client && !connection.door.fresh())) &&
               now - connection.heard > kLostSeconds + (client ? limits_.visit : 0)) {
      // A client sends heartbeats from when it hears that it has to wait.
      add(id, absl::StatusCode::kUnavailable, "link-lost", {"nothing was heard for too long"});
    }
  }
  for (const auto& [id, reason] : late) {
    const auto at = connections_.find(id);
    if (at == connections_.end() || at->second.role == Role::kDone) continue;
    Forget(id, now);
    Refuse(id, reason);
    OnClosed(id, now);
  }
  Match(now);
}

void Proxy::Stop() {
  stopped_ = true;
  queue_.clear();
  visits_.clear();
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kDone) continue;
    Refuse(id, Problem(absl::StatusCode::kUnavailable, "rpc-refused", {"the proxy is ending"}));
  }
}

}  // namespace lathe::runtime::rpc
