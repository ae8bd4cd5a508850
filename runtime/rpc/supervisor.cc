#include "runtime/rpc/supervisor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/rpc/crowd.h"
#include "runtime/rpc/planted.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kNonceBytes = 16;

absl::Status Status(absl::StatusCode code, std::string_view name,
                    std::initializer_list<std::string_view> text) {
  return MakeStatus(code, name, text);
}

// "ended by signal 11 (Segmentation fault)".
std::string DescribeEnd(const WorkerEnd& end) {
  if (!end.start.ok()) return "was not started (" + std::string(end.start.message()) + ")";
  if (!end.signalled) return "ended with status " + std::to_string(end.code);
  return "ended by signal " + std::to_string(end.code) + " (" + strsignal(end.code) + ")";
}

}  // namespace

Supervisor::Supervisor(SupervisorOptions options, std::function<std::string(size_t)> random)
    : options_(std::move(options)),
      door_{options_.key, options_.secret, options_.insecure, options_.machine},
      random_(std::move(random)) {
  if (options_.spare) spare_ = StartWorker();
}

uint64_t Supervisor::StartWorker() {
  actions_.push_back({Action::Kind::kStartWorker, 0, ++last_worker_, 0, {}});
  return last_worker_;
}

void Supervisor::Log(std::initializer_list<std::string_view> parts) {
  std::string line;
  for (const std::string_view part : parts) line.append(part);
  // One line, whatever a message or a peer's name holds.
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  actions_.push_back({Action::Kind::kLog, 0, 0, 0, std::move(line)});
}

void Supervisor::OnConnect(uint64_t id, Peer peer, double now) {
  Connection& connection =
      connections_.emplace(id, Connection{Door(door_, std::move(peer), random_(kNonceBytes))})
          .first->second;
  connection.since = connection.heard = now;
  const Crowd crowd = CrowdOf(
      connections_, [](const Connection& one) { return one.state == State::kDone; },
      [](const Connection& one) { return one.state == State::kGreeting; });
  if (const auto refused = crowd.Refused("server", id, stopped_))
    Refuse(refused->first, refused->second);
}

size_t Supervisor::Wanted(uint64_t id) const {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.state == State::kDone) return 0;
  const Connection& connection = at->second;
  if (!connection.door.fresh()) return kMostControlBytes;
  return connection.channel.wanted();
}

void Supervisor::Write(uint64_t id, std::string_view frame, uint16_t message) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  at->second.channel.Write(frame);
  std::string bytes = at->second.channel.TakeOutput();
  if (message == 0 && bytes.empty()) return;
  actions_.push_back({Action::Kind::kSend, id, 0, 0, std::move(bytes), message});
}

void Supervisor::Refuse(uint64_t id, const absl::Status& reason) {
  const auto at = connections_.find(id);
  if (at != connections_.end())
    Log({at->second.door.peer().address, ": refused: ", reason.message()});
  Send(id, Refused{ToFailure(reason)});
  Drop(id);
}

// Its socket is closed when everything has been sent.
void Supervisor::Drop(uint64_t id) {
  LeaveQueue(id);
  actions_.push_back({Action::Kind::kClose, id, 0, 0, {}});
  const auto at = connections_.find(id);
  if (at != connections_.end() && !Planted("talks-on")) at->second.state = State::kDone;
}

void Supervisor::OnBytes(uint64_t id, std::string_view bytes, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end() || at->second.state == State::kDone) return;
  at->second.heard = now;
  at->second.channel.Feed(bytes);
  for (;;) {
    const auto still = connections_.find(id);
    if (still == connections_.end() || still->second.state == State::kDone) return;
    absl::StatusOr<std::optional<Frame>> frame = still->second.channel.Next();
    if (!frame.ok()) return Refuse(id, frame.status());
    if (!frame->has_value()) return Write(id, {}, 0);
    OnFrame(id, still->second, **frame, now);
  }
}

void Supervisor::OnFrame(uint64_t id, Connection& connection, const Frame& frame, double now) {
  const State state = connection.state;
  if (state == State::kGreeting && connection.door.fresh() && frame.type == Attach::kType)
    return OnAttach(id, frame);
  if (state == State::kGreeting && connection.door.open() && frame.type == Open::kType)
    return OnOpen(id, connection, frame, now);
  if (state == State::kGreeting && connection.door.open() && frame.type == AskSummary::kType) {
    actions_.push_back({Action::Kind::kAsked, id, 0, 0, {}});
    return;
  }
  if (state == State::kGreeting) {
    absl::StatusOr<std::string> answer = connection.door.OnFrame(frame);
    if (!answer.ok()) return Refuse(id, answer.status());
    Write(id, *answer, 0);
    if (connection.door.open() && connection.door.key())
      connection.channel.Protect(TlsSide::kServer, *connection.door.key());
    return;
  }
  const bool waits = state == State::kQueued || state == State::kOpen;
  Heartbeat beat;
  if (waits && frame.type == Heartbeat::kType && Decode(frame.body, &beat).ok())
    return Send(id, beat);
  Cancel cancel;
  if (state == State::kOpen && frame.type == Cancel::kType && Decode(frame.body, &cancel).ok()) {
    const auto at = sessions_.find(connection.session);
    if (at == sessions_.end()) return;
    Session& session = at->second;
    // Nothing runs before the data connection, or after the end.
    if (!session.token.empty() || session.ending) return;
    if (session.cancels++ == 0) session.cancelled = now;
    actions_.push_back({Action::Kind::kCancel, 0, session.worker, cancel.request, {}});
    return;
  }
  if (waits && frame.type == Close::kType) {
    if (state == State::kQueued) return OnClosed(id, now), Drop(id);
    return End(connection.session, absl::OkStatus(), now);
  }
  const absl::Status unexpected = Unexpected(frame, "another message");
  if (connection.session != 0) End(connection.session, unexpected, now);
  Refuse(id, unexpected);
}

void Supervisor::OnOpen(uint64_t id, Connection& connection, const Frame& frame, double now) {
  Open open;
  if (absl::Status status = Decode(frame.body, &open); !status.ok()) return Refuse(id, status);
  const bool lent = lease_ != 0 && lease_session_ == 0 && open.lease.value_or(0) == lease_;
  if (options_.leased && !lent && !Planted("any-lease"))
    return Refuse(id, Status(absl::StatusCode::kPermissionDenied, "rpc-lease",
                             {"the device is lent by a tracker, and ",
                              open.lease ? "this lease is over" : "this client has no lease",
                              "\nhelp: ask the tracker for the device "
                              "(`rpc.connect_tracker(...).request(key)`)"}));
  connection.timeout = std::isfinite(open.timeout) ? std::max(open.timeout, 0.0) : 0;
  connection.state = State::kQueued;
  connection.asked = now;
  queue_.push_back(id);
  StartNext(now);
  if (connection.state == State::kQueued) Send(id, Queued{queue_.size()});
}

void Supervisor::StartNext(double now) {
  const size_t most = options_.max_sessions + (Planted("one-more") ? 1 : 0);
  while (!queue_.empty() && sessions_.size() < most) {
    if (Planted("last-first")) std::swap(queue_.front(), queue_.back());
    const uint64_t id = queue_.front();
    queue_.pop_front();
    Connection& connection = connections_.at(id);
    const uint64_t number = ++last_session_;
    Session& session = sessions_[number];
    session.connection = id;
    session.address = connection.door.peer().address;
    session.was_spare = spare_ != 0;
    session.worker = spare_ != 0 ? std::exchange(spare_, 0) : StartWorker();
    session.token = random_(kNonceBytes);
    if (options_.secret) session.key = random_(sizeof(Secret));
    session.opened = now;
    double timeout = connection.timeout;
    if (options_.session_timeout > 0)
      timeout =
          timeout > 0 ? std::min(timeout, options_.session_timeout) : options_.session_timeout;
    session.deadline = timeout > 0 ? now + timeout : 0;
    connection.state = State::kOpen;
    connection.session = number;
    if (options_.leased) lease_session_ = number;
    Opened opened{number, session.token, kHeartbeatSeconds, {}};
    if (!session.key.empty()) opened.key = session.key;
    Send(id, opened);
    Log({"session ", std::to_string(number), ": begins, for ", session.address});
    if (options_.spare && !stopped_) {
      worker_problem_.clear();
      spare_ = StartWorker();
    }
    TellQueue();
  }
}

void Supervisor::TellQueue() {
  for (size_t i = 0; i < queue_.size(); ++i) Send(queue_[i], Queued{i + 1});
}

void Supervisor::OnAttach(uint64_t id, const Frame& frame) {
  Attach attach;
  if (absl::Status status = Decode(frame.body, &attach); !status.ok()) return Refuse(id, status);
  for (auto& [number, session] : sessions_) {
    if (session.token.empty() || session.ending || !SameText(session.token, attach.token)) continue;
    if (!Planted("token-twice")) session.token.clear();
    actions_.push_back(
        {Action::Kind::kPass, id, session.worker, frame.request, std::exchange(session.key, {})});
    connections_.erase(id);
    return;
  }
  Refuse(id, Status(absl::StatusCode::kPermissionDenied, "rpc-refused",
                    {"no session waits for this connection: its token is unknown, was used, or "
                     "came too late"}));
}

void Supervisor::LeaveQueue(uint64_t id) {
  const auto at = std::find(queue_.begin(), queue_.end(), id);
  if (at == queue_.end() || Planted("queue-stays")) return;
  queue_.erase(at);
  TellQueue();
}

void Supervisor::OnClosed(uint64_t id, double now) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  const uint64_t session = at->second.session;
  LeaveQueue(id);
  connections_.erase(at);
  const auto open = sessions_.find(session);
  if (open == sessions_.end()) return;
  open->second.connection = 0;
  End(session, Status(absl::StatusCode::kUnavailable, "link-lost", {"the client is gone"}), now);
}

void Supervisor::End(uint64_t number, const absl::Status& reason, double now) {
  const auto at = sessions_.find(number);
  if (at == sessions_.end() || at->second.ending) return;
  at->second.ending = reason;
  at->second.killed = now;
  at->second.token.clear();
  if (!Planted("kill-forgotten"))
    actions_.push_back({Action::Kind::kKill, 0, at->second.worker, 0, {}});
}

// Once for each session.
void Supervisor::Tell(Session& session, const absl::Status& reason, const std::string& output) {
  if (std::exchange(session.told, true) || session.connection == 0) return;
  const auto at = connections_.find(session.connection);
  if (at == connections_.end() || at->second.state == State::kDone) return;
  if (!Planted("untold")) Send(session.connection, Ended{ToFailure(reason), output});
  if (Planted("told-twice")) Send(session.connection, Ended{ToFailure(reason), output});
  Drop(session.connection);
}

void Supervisor::OnCancelled(uint64_t worker, double now) {
  const auto at = std::find_if(sessions_.begin(), sessions_.end(),
                               [&](const auto& one) { return one.second.worker == worker; });
  if (at == sessions_.end() || at->second.cancels == 0) return;
  --at->second.cancels;
  at->second.cancelled = now;
}

void Supervisor::OnWorkerEnded(uint64_t worker, const WorkerEnd& end, double now) {
  if (worker == spare_) {
    Log({"a spare worker ", DescribeEnd(end), end.output.empty() ? "" : ": ", end.output});
    // Another one is started for the next session: one that cannot start would be started for ever.
    spare_ = 0;
    worker_problem_ = DescribeEnd(end);
    if (!end.output.empty()) worker_problem_ += ": " + end.output;
    return;
  }
  const auto at = std::find_if(sessions_.begin(), sessions_.end(),
                               [&](const auto& one) { return one.second.worker == worker; });
  if (at == sessions_.end()) return;
  Session& session = at->second;
  // It ended before the session had it, though nobody had seen that: another one serves.
  if (session.was_spare && !session.token.empty() && !session.ending) {
    Log({"session ", std::to_string(at->first), ": its spare worker ", DescribeEnd(end)});
    session.was_spare = false;
    session.worker = StartWorker();
    return;
  }
  const absl::Status reason =
      session.ending    ? *session.ending
      : !end.start.ok() ? end.start
                        : Status(absl::StatusCode::kAborted, "session-crashed",
                                 {"the worker ", DescribeEnd(end),
                                  end.output.empty() ? "" : "\nits last output:\n", end.output});
  Log({"session ", std::to_string(at->first), ": ends",
       reason.ok() ? std::string_view() : std::string_view(": "), reason.message()});
  Tell(session, reason, end.output);
  if (StatusName(reason) == "session-crashed") ++crashes_;
  ended_session_ = at->first;
  ended_reason_ = std::string(reason.message());
  ended_ = now;
  if (!end.cleaning) return Leave(at->first, now);
  session.ending = reason;
  session.token.clear();
  session.cleaning = now;
}

void Supervisor::OnCleaned(uint64_t worker, double now) {
  const auto at = std::find_if(sessions_.begin(), sessions_.end(),
                               [&](const auto& one) { return one.second.worker == worker; });
  if (at != sessions_.end() && at->second.cleaning) Leave(at->first, now);
}

void Supervisor::Leave(uint64_t number, double now) {
  sessions_.erase(number);
  if (number == lease_session_) FreeLease();
  if (!Planted("no-next")) StartNext(now);
  TellQueue();
}

void Supervisor::OnLease(uint64_t lease, double now) {
  if (lease <= last_lease_ || stopped_) return;
  last_lease_ = lease;
  // A session of an earlier lease has the device as long as it lasts; the tracker hears of its end.
  if (lease_session_ != 0) return;
  lease_ = lease;
  leased_since_ = now;
}

void Supervisor::FreeLease() {
  // Also of a lease that came while an earlier one's session still ran.
  if (!Planted("no-next-lease")) actions_.push_back({Action::Kind::kFreed, 0, 0, last_lease_, {}});
  lease_ = lease_session_ = 0;
}

void Supervisor::OnTick(double now) {
  // Whoever got it did not come.
  if (lease_ != 0 && lease_session_ == 0 && now - leased_since_ > kAttachSeconds) FreeLease();
  std::vector<std::pair<uint64_t, absl::Status>> late;
  for (auto& [id, connection] : connections_) {
    const State state = connection.state;
    if (state == State::kGreeting && now - connection.since > kHandshakeSeconds)
      late.emplace_back(id, Status(absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
                                   {"no session was asked for within 10 seconds"}));
    if ((state == State::kQueued || state == State::kOpen) &&
        now - connection.heard > kLostSeconds && !Planted("silence-is-life"))
      late.emplace_back(id, Status(absl::StatusCode::kUnavailable, "link-lost",
                                   {"nothing was heard from the client for ",
                                    std::to_string(static_cast<int>(kLostSeconds)), " seconds"}));
  }
  for (const auto& [id, reason] : late) {
    Refuse(id, reason);
    OnClosed(id, now);
  }
  std::vector<uint64_t> left;
  for (auto& [number, session] : sessions_) {
    if (session.ending) {
      if (session.cleaning && now - *session.cleaning > kCleanSeconds) left.push_back(number);
      if (IsStuck(session, now))
        Tell(session,
             Status(absl::StatusCode::kInternal, "session-stuck",
                    {"the worker could not be killed; its device stays taken until it ends"}),
             "");
      continue;
    }
    if (!session.token.empty() && now - session.opened > kAttachSeconds) {
      End(number,
          Status(absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
                 {"no data connection was made within 10 seconds"}),
          now);
    } else if (session.cancels > 0 && now - session.cancelled > kAnswerSeconds &&
               !Planted("deaf-is-fine")) {
      End(number,
          Status(absl::StatusCode::kAborted, "session-crashed",
                 {"the worker did not answer when a request was cancelled, and was killed"}),
          now);
    } else if (session.deadline > 0 && now >= session.deadline) {
      End(number,
          Status(absl::StatusCode::kDeadlineExceeded, "session-timeout",
                 {"the session lasted for longer than it may (",
                  std::to_string(static_cast<int64_t>(session.deadline - session.opened)),
                  " seconds)"}),
          now);
    }
  }
  for (const uint64_t number : left) Leave(number, now);
}

void Supervisor::Stop(double now) {
  stopped_ = true;
  const absl::Status ending =
      Status(absl::StatusCode::kUnavailable, "rpc-refused", {"the server is ending"});
  for (auto& [number, session] : sessions_) {
    End(number, ending, now);
    Tell(session, ending, "");
  }
  std::vector<uint64_t> rest;
  for (const auto& [id, connection] : connections_) {
    if (connection.state != State::kDone) rest.push_back(id);
  }
  for (const uint64_t id : rest) Refuse(id, ending);
  queue_.clear();
  if (spare_ != 0) actions_.push_back({Action::Kind::kKill, 0, spare_, 0, {}});
  spare_ = 0;
}

}  // namespace lathe::runtime::rpc
