#include "runtime/rpc/uplink.h"

#include <optional>

#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

Uplink::Uplink(Greeting greeting, ProgramRole far, double now)
    : greeting_(std::move(greeting)), far_(far), heard_(now), beat_(now) {
  channel_.Write(greeting_.Begin());
}

void Uplink::OnBytes(std::string_view bytes, double now) {
  heard_ = now;
  channel_.Feed(bytes);
  while (end_.ok()) {
    absl::StatusOr<std::optional<Frame>> frame = channel_.Next();
    if (!frame.ok()) end_ = frame.status();
    if (!frame.ok() || !frame->has_value()) return;
    end_ = OnFrame(**frame);
  }
}

absl::Status Uplink::OnFrame(const Frame& frame) {
  if (frame.type == Refused::kType) {
    Refused refused;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &refused));
    const absl::Status reason = FromFailure(refused.reason);
    return reason.ok() ? Unexpected(frame, "a reason") : reason;
  }
  if (!greeting_.done()) {
    LATHE_ASSIGN_OR_RETURN(const std::string answer, greeting_.OnFrame(frame));
    channel_.Write(answer);
    if (!greeting_.done()) return absl::OkStatus();
    LATHE_RETURN_IF_ERROR(greeting_.CheckRole(far_));
    if (greeting_.key()) channel_.Protect(TlsSide::kClient, *greeting_.key());
    channel_.Write(First());
    registered_ = true;
    return absl::OkStatus();
  }
  if (frame.type == Heartbeat::kType) return absl::OkStatus();
  return OnMessage(frame);
}

void Uplink::OnTick(double now) {
  if (!end_.ok()) return;
  if (now - heard_ > kLostSeconds)
    end_ = MakeStatus(absl::StatusCode::kUnavailable, "link-lost",
                      {"nothing was heard from the ",
                       far_ == ProgramRole::kTracker ? "tracker" : "proxy", " for too long"});
  if (!registered_ || now - beat_ < kHeartbeatSeconds) return;
  beat_ = now;
  Send(Heartbeat{++beats_});
}

}  // namespace lathe::runtime::rpc
