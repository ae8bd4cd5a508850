#include "runtime/rpc/tracker.h"

#include <algorithm>

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
  if (stopped_ || connections_.size() > kMostConnections) {
    Refuse(id,
           MakeStatus(absl::StatusCode::kUnavailable, "rpc-refused",
                      stopped_ ? "the tracker is ending" : "the tracker has too many connections"));
  } else {
    DropOldestStranger();
  }
}

void Tracker::DropOldestStranger() {
  // Numbers grow, so the first one is the oldest.
  uint64_t oldest = 0;
  size_t count = 0;
  for (const auto& [id, connection] : connections_) {
    if (connection.role == Role::kGreeting && count++ == 0) oldest = id;
  }
  if (count > kMostStrangers)
    Refuse(oldest, MakeStatus(absl::StatusCode::kResourceExhausted, "rpc-refused",
                              {"the tracker has ", std::to_string(kMostStrangers),
                               " connections that ask for nothing, and this is the oldest"}));
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
      if (!IsKey(device.key) || device.port == 0 || device.port > 65535)
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-key",
                          {"a device is registered under a key of 1 to 255 characters without "
                           "spaces, with a port; found `",
                           device.key, "` and ", std::to_string(device.port)});
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
      Log({connection.key, " at ", connection.host, ":", std::to_string(connection.port),
           ": registered"});
      return absl::OkStatus();
    }
    case Freed::kType: {
      Freed freed;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &freed));
      if (connection.role != Role::kServer) break;
      if (freed.lease != connection.lease && !Planted("any-freed")) return absl::OkStatus();
      connection.lease = 0;
      connection.free_since = now;
      return absl::OkStatus();
    }
    case Request::kType: {
      Request request;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &request));
      if (connection.role != Role::kIdle) break;
      if (!IsKey(request.key))
        return MakeStatus(
            absl::StatusCode::kInvalidArgument, "rpc-key",
            {"a key has 1 to 255 characters without spaces; found `", request.key, "`"});
      connection.role = Role::kWaits;
      connection.key = request.key;
      connection.priority = std::clamp<int64_t>(request.priority, -1000000, 1000000);
      connection.asked = now;
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

double Tracker::Rank(const Connection& request, double now) const {
  return static_cast<double>(request.priority) + (now - request.asked) / kAgeSeconds;
}

void Tracker::Match(double now) {
  for (;;) {
    // The pair of the highest request and the device that has been free for longest.
    uint64_t client = 0, server = 0;
    for (const auto& [id, request] : connections_) {
      if (request.role != Role::kWaits ||
          (client != 0 && Rank(request, now) <= Rank(connections_.at(client), now)))
        continue;
      uint64_t found = 0;
      for (const auto& [other, device] : connections_) {
        const bool free = device.lease == 0 || Planted("lent-twice");
        if (device.role == Role::kServer && free && device.key == request.key &&
            (found == 0 || device.free_since < connections_.at(found).free_since))
          found = other;
      }
      if (found == 0) continue;
      client = id;
      server = found;
    }
    if (client == 0) break;
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
  // Whoever waits is told when that changes.
  std::map<std::string, std::vector<uint64_t>> waiting;
  for (auto& [id, request] : connections_) {
    if (request.role == Role::kWaits) waiting[request.key].push_back(id);
  }
  for (auto& [key, ids] : waiting) {
    std::sort(ids.begin(), ids.end(), [&](uint64_t a, uint64_t b) {
      return std::pair(-Rank(connections_.at(a), now), a) <
             std::pair(-Rank(connections_.at(b), now), b);
    });
    for (size_t i = 0; i < ids.size(); ++i) {
      Connection& request = connections_.at(ids[i]);
      if (request.place == i + 1) continue;
      request.place = i + 1;
      Send(ids[i], Queued{i + 1});
    }
  }
}

void Tracker::OnClosed(uint64_t id, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  if (at->second.role == Role::kServer)
    Log({at->second.key, " at ", at->second.host, ":", std::to_string(at->second.port), ": gone"});
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
