#include "runtime/rpc/tracker.h"

#include <algorithm>

#include "runtime/rpc/crowd.h"
#include "runtime/rpc/planted.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kMostKeys = 10000;  // that are remembered

}  // namespace

Tracker::Tracker(DoorOptions door, std::function<std::string(size_t)> random, uint64_t last_lease)
    : door_(std::move(door)), random_(std::move(random)), last_lease_(last_lease) {
  door_.role = ProgramRole::kTracker;
}

void Tracker::Log(std::initializer_list<std::string_view> parts) {
  std::string line;
  for (const std::string_view part : parts) line.append(part);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  actions_.push_back({Action::Kind::kLog, 0, std::move(line)});
}

void Tracker::OnConnect(uint64_t id, Peer peer, double now) {
  if (!started_) started_ = now;
  Connection& connection =
      connections_.emplace(id, Connection{Door(door_, std::move(peer), random_(16))}).first->second;
  connection.since = connection.heard = now;
  const Crowd crowd = CrowdOf(
      connections_, [](const Connection& one) { return one.role == Role::kDone; },
      [](const Connection& one) { return one.role == Role::kGreeting; });
  if (const auto refused = crowd.Refused("tracker", id, stopped_))
    Refuse(refused->first, refused->second);
}

void Tracker::Write(uint64_t id, std::string_view frame) {
  Channel& channel = connections_.at(id).channel;
  channel.Write(frame);
  std::string bytes = channel.TakeOutput();
  if (!bytes.empty()) actions_.push_back({Action::Kind::kSend, id, std::move(bytes)});
}

void Tracker::Refuse(uint64_t id, const absl::Status& reason) {
  Connection& connection = connections_.at(id);
  Log({connection.door.peer().address, ": refused: ", reason.message()});
  Send(id, Refused{ToFailure(reason)});
  actions_.push_back({Action::Kind::kClose, id, {}});
  connection.role = Role::kDone;
  changed_ = true;
}

void Tracker::OnBytes(uint64_t id, std::string_view bytes, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.role == Role::kDone) return;
  Connection& connection = at->second;
  connection.heard = now;
  connection.channel.Feed(bytes);
  while (connection.role != Role::kDone) {
    absl::StatusOr<std::optional<Frame>> frame = connection.channel.Next();
    if (!frame.ok()) return Refuse(id, frame.status());
    if (!frame->has_value()) return Write(id, {});
    const absl::Status taken = OnFrame(id, connection, **frame, now);
    if (!taken.ok()) return Refuse(id, taken);
    Match(now);
  }
}

absl::Status Tracker::OnFrame(uint64_t id, Connection& connection, const Frame& frame, double now) {
  if (!connection.door.open()) {
    LATHE_ASSIGN_OR_RETURN(const std::string answer, connection.door.OnFrame(frame));
    Write(id, answer);
    if (!connection.door.open()) return absl::OkStatus();
    connection.role = Role::kIdle;
    if (connection.door.key()) connection.channel.Protect(TlsSide::kServer, *connection.door.key());
    return absl::OkStatus();
  }
  switch (frame.type) {
    case Heartbeat::kType: {
      Heartbeat beat;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &beat));
      Send(id, beat);
      return absl::OkStatus();
    }
    case Register::kType: {
      Register device;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &device));
      if (connection.role != Role::kIdle) break;
      return OnRegister(id, connection, device, now);
    }
    case Freed::kType: {
      Freed freed;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &freed));
      if (connection.role != Role::kServer) break;
      if (freed.lease != connection.lease && !Planted("any-freed")) return absl::OkStatus();
      connection.lease = 0;
      connection.free_since = now;
      changed_ = true;
      return absl::OkStatus();
    }
    case Request::kType: {
      Request request;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &request));
      if (connection.role != Role::kIdle) break;
      LATHE_RETURN_IF_ERROR(CheckKey(request.key));
      if (request.key.empty())
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-key",
                          "a request without the key of a kind of device");
      connection.role = Role::kWaits;
      connection.key = request.key;
      connection.priority = std::clamp<int64_t>(request.priority, -1000000, 1000000);
      connection.asked = now;
      changed_ = true;
      return absl::OkStatus();
    }
    case AskSummary::kType:
      Send(id, rpc::Summary{Summary(now)});
      return absl::OkStatus();
    default:
      break;
  }
  return Unexpected(frame, "another message");
}

absl::Status Tracker::OnRegister(uint64_t id, Connection& connection, const Register& device,
                                 double now) {
  LATHE_RETURN_IF_ERROR(CheckKey(device.key));
  if (device.key.empty() || device.port == 0 || device.port > 65535)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-key",
                      {"a device is registered under a key, with a port; found `", device.key,
                       "` and ", std::to_string(device.port)});
  connection.role = Role::kServer;
  connection.key = device.key;
  if (keys_.size() < kMostKeys) keys_.insert(device.key);
  connection.port = device.port;
  const std::string& address = connection.door.peer().address;
  connection.host = device.host.value_or(address.substr(0, address.rfind(':')));
  connection.device = device.device;
  connection.lease = device.lease;
  connection.free_since = now;
  // A server that was restarted, whose earlier connection has not been missed yet.
  for (auto& [other, old] : connections_) {
    if (other == id || old.role != Role::kServer || old.host != connection.host ||
        old.port != connection.port || old.device != connection.device)
      continue;
    actions_.push_back({Action::Kind::kClose, other, {}});
    old.role = Role::kDone;
  }
  last_lease_ = std::max(last_lease_, device.lease);
  changed_ = true;
  Log({connection.key, " at ", connection.host, ":", std::to_string(connection.port),
       ": registered"});
  return absl::OkStatus();
}

double Tracker::Rank(const Connection& request, double now) const {
  return static_cast<double>(request.priority) + (now - request.asked) / kAgeSeconds;
}

void Tracker::Match(double now) {
  if (!std::exchange(changed_, false)) return;
  // Of each key: the requests from the highest on, and the devices from the one on that has been
  // free for longest.
  struct Kind {
    std::vector<std::pair<double, uint64_t>> requests;  // by -rank
    std::vector<std::pair<double, uint64_t>> devices;
  };
  std::map<std::string_view, Kind> kinds;
  for (const auto& [id, one] : connections_) {
    if (one.role == Role::kWaits) {
      kinds[one.key].requests.emplace_back(-Rank(one, now), id);
    } else if (one.role == Role::kServer && (one.lease == 0 || Planted("lent-twice"))) {
      kinds[one.key].devices.emplace_back(one.free_since, id);
    }
  }
  for (auto& [key, kind] : kinds) {
    std::sort(kind.requests.begin(), kind.requests.end());
    std::sort(kind.devices.begin(), kind.devices.end());
    const size_t lent = std::min(kind.requests.size(), kind.devices.size());
    for (size_t i = 0; i < lent; ++i) Lend(kind.requests[i].second, kind.devices[i].second);
    // Whoever waits is told when its place changes.
    for (size_t i = lent; i < kind.requests.size(); ++i) {
      const uint64_t place = i - lent + 1, id = kind.requests[i].second;
      if (std::exchange(connections_.at(id).place, place) != place) Send(id, Queued{place});
    }
  }
}

void Tracker::Lend(uint64_t client, uint64_t server) {
  Connection& device = connections_.at(server);
  Connection& request = connections_.at(client);
  device.lease = Planted("same-lease") ? std::max<uint64_t>(last_lease_, 1) : ++last_lease_;
  Send(server, Lease{device.lease});
  Send(client, Granted{device.host, device.port, device.lease, device.device});
  Log({request.door.peer().address, ": lent ", device.key, " at ", device.host, ":",
       std::to_string(device.port)});
  actions_.push_back({Action::Kind::kClose, client, {}});
  request.role = Role::kDone;
}

void Tracker::OnClosed(uint64_t id, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  if (at->second.role == Role::kServer)
    Log({at->second.key, " at ", at->second.host, ":", std::to_string(at->second.port), ": gone"});
  changed_ = true;
  connections_.erase(at);
  Match(now);
}

void Tracker::OnTick(double now) {
  std::vector<uint64_t> late;
  for (const auto& [id, connection] : connections_) {
    const bool greeting = connection.role == Role::kGreeting || connection.role == Role::kIdle;
    const bool lives = connection.role == Role::kServer || connection.role == Role::kWaits;
    if ((greeting && now - connection.since > kHandshakeSeconds) ||
        (lives && now - connection.heard > kLostSeconds))
      late.push_back(id);
  }
  for (const uint64_t id : late) {
    Refuse(id, MakeStatus(absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
                          "nothing was heard for too long"));
    OnClosed(id, now);
  }
  RefuseUnknownKeys(now);
}

void Tracker::RefuseUnknownKeys(double now) {
  std::vector<uint64_t> unknown;
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kWaits && keys_.size() < kMostKeys &&
        keys_.count(connection.key) == 0 && now - connection.asked > kUnknownKeySeconds)
      unknown.push_back(id);
  }
  if (unknown.empty()) return;
  std::string known;
  for (const std::string& key : keys_) known += (known.empty() ? "`" : ", `") + key + "`";
  for (const uint64_t id : unknown) {
    Refuse(id, MakeStatus(absl::StatusCode::kNotFound, "rpc-no-device",
                          {"no device of the kind `", connections_.at(id).key,
                           "` has ever registered with the tracker\nfound: ",
                           known.empty() ? "no devices" : known,
                           "\nhelp: is the server's --key another one?"}));
    OnClosed(id, now);
  }
}

void Tracker::Stop() {
  stopped_ = true;
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kDone) continue;
    Refuse(id, MakeStatus(absl::StatusCode::kUnavailable, "rpc-refused", "the tracker is ending"));
  }
}

}  // namespace lathe::runtime::rpc
