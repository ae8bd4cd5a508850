#include "runtime/rpc/control_client.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kNonceBytes = 16;

}  // namespace

ControlClient::ControlClient(ControlOptions options, std::function<std::string(size_t)> random,
                             double now)
    : options_(std::move(options)),
      random_(std::move(random)),
      greeting_(options_.secret, options_.key, options_.machine, random_(kNonceBytes)),
      begun_(now),
      heard_(now),
      beat_(now),
      interval_(kHeartbeatSeconds) {
  channel_.Write(greeting_.Begin());
}

void ControlClient::End(absl::Status why) {
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  end_ = closing_ ? absl::OkStatus() : std::move(why);
}

void ControlClient::OnClosed() {
  End(MakeStatus(
      absl::StatusCode::kUnavailable, "link-lost",
      {"the server closed the control connection without a reason",
       state_ == State::kConnecting ? "\nhelp: does a Lathe server listen there?" : ""}));
}

void ControlClient::OnBytes(std::string_view bytes, double now) {
  heard_ = now;
  channel_.Feed(bytes);
  while (state_ != State::kEnded) {
    absl::StatusOr<std::optional<Frame>> frame = channel_.Next();
    if (!frame.ok()) return End(frame.status());
    if (!frame->has_value()) return;
    if (absl::Status status = OnMessage(**frame, now); !status.ok()) End(std::move(status));
  }
}

absl::Status ControlClient::OnMessage(const Frame& frame, double now) {
  switch (frame.type) {
    case Welcome::kType:
    case Authenticated::kType: {
      LATHE_ASSIGN_OR_RETURN(const std::string answer, greeting_.OnFrame(frame));
      channel_.Write(answer);
      if (!greeting_.done()) return absl::OkStatus();
      if (greeting_.key()) channel_.Protect(TlsSide::kClient, *greeting_.key());
      LATHE_RETURN_IF_ERROR(greeting_.CheckRole(ProgramRole::kServer));
      if (greeting_.role() == ProgramRole::kProxy && !route_.empty())
        return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-unexpected",
                          "the device behind the proxy is a proxy itself");
      asked_ = true;
      Ask();
      return absl::OkStatus();
    }
    case Reached::kType:
      return OnReached(frame, now);
    case Queued::kType: {
      Queued queued;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &queued));
      if (!asked_ || state_ == State::kOpen) break;
      state_ = State::kQueued;
      place_ = queued.place;
      return absl::OkStatus();
    }
    case Opened::kType: {
      Opened opened;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &opened));
      if (!asked_ || state_ == State::kOpen) break;
      if (opened.key.value_or("").size() != (options_.secret ? sizeof(Secret) : 0))
        return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                          "Opened has a key if and only if there is a secret");
      state_ = State::kOpen;
      token_ = opened.token;
      if (options_.secret) key_ = SecretFrom(*opened.key);
      if (std::isfinite(opened.heartbeat)) interval_ = std::clamp(opened.heartbeat, 0.1, 60.0);
      beat_ = now;
      return absl::OkStatus();
    }
    case Heartbeat::kType:
      return absl::OkStatus();
    case Ended::kType: {
      Ended ended;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &ended));
      absl::Status reason = FromFailure(ended.reason);
      if (reason.ok() && !closing_)
        reason = MakeStatus(absl::StatusCode::kUnavailable, "session-closed",
                            "the server ended the session");
      End(std::move(reason));
      return absl::OkStatus();
    }
    case Refused::kType: {
      Refused refused;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &refused));
      if (refused.reason.code == 0) break;
      return FromFailure(refused.reason);
    }
    default:
      break;
  }
  return Unexpected(frame, "another message");
}

// What comes after a greeting.
void ControlClient::Ask() {
  if (greeting_.role() == ProgramRole::kProxy) {
    Reach reach{options_.key, {}};
    if (!options_.device.empty()) reach.device = options_.device;
    return Send(reach);
  }
  Open open;
  open.timeout = options_.session_timeout;
  if (options_.lease != 0) open.lease = options_.lease;
  Send(open);
}

// The proxy has a device, which is greeted now as though it were reached directly.
absl::Status ControlClient::OnReached(const Frame& frame, double now) {
  Reached reached;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &reached));
  if (!asked_ || greeting_.role() != ProgramRole::kProxy)
    return Unexpected(frame, "another message");
  if (reached.route.empty())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed",
                      "Reached has an empty route");
  route_ = reached.route;
  asked_ = false;
  state_ = State::kConnecting;
  begun_ = now;
  greeting_ = Greeting(options_.secret, options_.key, options_.machine, random_(kNonceBytes));
  // What follows is between this side and the device, which the proxy only passes on.
  channel_.Unprotect();
  channel_.Write(greeting_.Begin());
  return absl::OkStatus();
}

void ControlClient::OnTick(double now) {
  if (state_ == State::kEnded) return;
  const double silence = std::max(kLostSeconds, 3 * interval_);
  if (state_ == State::kConnecting && now - begun_ > kHandshakeSeconds)
    return End(MakeStatus(absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
                          {"the server did not answer within 10 seconds"}));
  if (state_ != State::kConnecting && now - heard_ > silence)
    return End(MakeStatus(absl::StatusCode::kUnavailable, "link-lost",
                          {"nothing was heard from the server for ",
                           std::to_string(static_cast<int>(silence)), " seconds"}));
  if (state_ != State::kConnecting && now - beat_ >= interval_) {
    beat_ = now;
    Send(Heartbeat{++beats_});
  }
}

void ControlClient::Cancel(uint64_t request) {
  if (state_ == State::kOpen) Send(rpc::Cancel{request});
}

void ControlClient::Close() {
  if (state_ == State::kEnded || std::exchange(closing_, true)) return;
  Send(rpc::Close{});
}

}  // namespace lathe::runtime::rpc
