#include "runtime/rpc/tracker_link.h"

#include <optional>

#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {

TrackerLink::TrackerLink(Greeting greeting, Register device, double now)
    : greeting_(std::move(greeting)),
      device_(std::move(device)),
      heard_(now),
      beat_(now),
      output_(greeting_.Begin()) {}

void TrackerLink::OnBytes(std::string_view bytes, double now) {
  heard_ = now;
  reader_.Feed(bytes);
  while (end_.ok()) {
    absl::StatusOr<std::optional<Frame>> frame = reader_.Next();
    if (!frame.ok()) end_ = frame.status();
    if (!frame.ok() || !frame->has_value()) return;
    end_ = OnFrame(**frame);
  }
}

absl::Status TrackerLink::OnFrame(const Frame& frame) {
  if (frame.type == Refused::kType) {
    Refused refused;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &refused));
    const absl::Status reason = FromFailure(refused.reason);
    return reason.ok() ? Unexpected(frame, "a reason") : reason;
  }
  if (!greeting_.done()) {
    LATHE_ASSIGN_OR_RETURN(const std::string answer, greeting_.OnFrame(frame));
    output_ += answer;
    if (!greeting_.done()) return absl::OkStatus();
    output_ += EncodeFrame(device_);
    registered_ = true;
    return absl::OkStatus();
  }
  if (frame.type == Heartbeat::kType) return absl::OkStatus();
  Lease lease;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &lease));
  leases_.push_back(lease.lease);
  return absl::OkStatus();
}

void TrackerLink::OnTick(double now) {
  if (!end_.ok()) return;
  if (now - heard_ > kLostSeconds)
    end_ = MakeStatus(absl::StatusCode::kUnavailable, "link-lost",
                      "nothing was heard from the tracker for too long");
  if (!registered_ || now - beat_ < kHeartbeatSeconds) return;
  beat_ = now;
  output_ += EncodeFrame(Heartbeat{++beats_});
}

void TrackerLink::Freed(uint64_t lease) {
  // Before it is registered, Register says so.
  device_.lease = device_.lease == lease ? 0 : device_.lease;
  if (registered_) output_ += EncodeFrame(rpc::Freed{lease});
}

}  // namespace lathe::runtime::rpc
