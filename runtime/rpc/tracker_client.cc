#include "runtime/rpc/tracker_client.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "base/poll.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/socket_loop.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/rpc/transport.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

// A connection that sends one request and waits for what answers it.
class Conversation {
 public:
  static absl::StatusOr<std::unique_ptr<Conversation>> Open(const TrackerAddress& tracker,
                                                            std::optional<ProgramRole> wanted) {
    LATHE_ASSIGN_OR_RETURN(FileHandle socket,
                           ConnectTcp(tracker.host, tracker.port, tracker.timeout));
    auto made = std::make_unique<Conversation>(NewSocketTransport(std::move(socket)));
    Greeting greeting(tracker.secret, {}, ThisMachine(), RandomBytes(16));
    LATHE_RETURN_IF_ERROR(made->Send(greeting.Begin()));
    while (!greeting.done()) {
      LATHE_ASSIGN_OR_RETURN(const Frame frame, made->Next());
      LATHE_ASSIGN_OR_RETURN(const std::string answer, greeting.OnFrame(frame));
      LATHE_RETURN_IF_ERROR(made->Send(answer));
    }
    if (wanted) LATHE_RETURN_IF_ERROR(greeting.CheckRole(*wanted));
    if (greeting.key()) made->channel_.Protect(TlsSide::kClient, *greeting.key());
    return made;
  }
  explicit Conversation(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

  absl::Status Send(std::string_view frames) {
    channel_.Write(frames);
    return Flush();
  }
  absl::Status Flush() {
    const std::string output = channel_.TakeOutput();
    std::string_view bytes = output;
    while (!bytes.empty()) {
      const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
      LATHE_ASSIGN_OR_RETURN(const size_t sent, transport_->Send({&piece, 1}));
      if (sent == 0) transport_->WaitToSend(false);
      bytes.remove_prefix(sent);
    }
    return absl::OkStatus();
  }

  // The next message but heartbeats; those are sent meanwhile.
  absl::StatusOr<Frame> Next() {
    for (;;) {
      LATHE_ASSIGN_OR_RETURN(std::optional<Frame> frame, channel_.Next());
      if (frame && frame->type == Refused::kType) {
        Refused refused;
        LATHE_RETURN_IF_ERROR(DecodeFrame(*frame, &refused));
        const absl::Status reason = FromFailure(refused.reason);
        return reason.ok() ? Unexpected(*frame, "a reason") : reason;
      }
      if (frame && frame->type != Heartbeat::kType) return *std::move(frame);
      if (frame) continue;
      LATHE_RETURN_IF_ERROR(Flush());
      char bytes[4096];
      LATHE_ASSIGN_OR_RETURN(const size_t got, transport_->Receive(bytes, sizeof(bytes)));
      channel_.Feed({bytes, got});
      const double now = MonotonicSeconds();
      if (got > 0) heard_ = now;
      if (now - heard_ > kLostSeconds + kHandshakeSeconds)
        return LinkLost("nothing was heard from the other side for too long");
      if (now - beat_ >= kHeartbeatSeconds && asked_) {
        beat_ = now;
        LATHE_RETURN_IF_ERROR(Send(EncodeFrame(Heartbeat{++beats_})));
      }
      PollNow();
    }
  }
  template <class Message>
  absl::Status Ask(const Message& message) {
    asked_ = true;
    return Send(EncodeFrame(message));
  }

 private:
  std::unique_ptr<Transport> transport_;
  Channel channel_{kMostControlBytes};
  double heard_ = MonotonicSeconds(), beat_ = heard_;
  uint64_t beats_ = 0;
  bool asked_ = false;
};

absl::StatusOr<Granted> WaitForDevice(const TrackerAddress& tracker, const DeviceRequest& request) {
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Conversation> talk,
                         Conversation::Open(tracker, ProgramRole::kTracker));
  LATHE_RETURN_IF_ERROR(talk->Ask(Request{request.key, request.priority}));
  for (;;) {
    LATHE_ASSIGN_OR_RETURN(const Frame frame, talk->Next());
    if (frame.type == Queued::kType) {
      Queued queued;
      LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &queued));
      if (request.queued) request.queued(queued.place);
      continue;
    }
    Granted granted;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &granted));
    return granted;
  }
}

// Opens a session with the device that was lent.
absl::StatusOr<Ref<RemoteSession>> UseLease(const TrackerAddress& tracker,
                                            const DeviceRequest& request, const Granted& granted) {
  ConnectOptions options;
  options.host = granted.host;
  options.port = static_cast<int>(std::min<uint64_t>(granted.port, 65535));
  options.control.key = request.key;
  options.control.secret = tracker.secret;
  options.control.session_timeout = request.session_timeout;
  options.control.lease = granted.lease;
  options.control.device = granted.device.value_or("");
  // The server may hear of its lease a moment after the client, on a busy machine a long one.
  for (const double end = MonotonicSeconds() + kAttachSeconds / 2;;) {
    absl::StatusOr<Ref<RemoteSession>> session = Connect(options);
    if (session.ok() || StatusName(session.status()) != "rpc-lease" || MonotonicSeconds() > end)
      return session;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    PollNow();
  }
}

}  // namespace

absl::StatusOr<Ref<RemoteSession>> RequestDevice(const TrackerAddress& tracker,
                                                 const DeviceRequest& request) {
  constexpr int kMostLeases = 3;
  for (int leases = 1;; ++leases) {
    LATHE_ASSIGN_OR_RETURN(const Granted granted, WaitForDevice(tracker, request));
    absl::StatusOr<Ref<RemoteSession>> session = UseLease(tracker, request, granted);
    // A lease that is not valid any more: the server lost its tracker while that lent the device,
    // or this machine slept.
    if (session.ok() || StatusName(session.status()) != "rpc-lease" || leases == kMostLeases)
      return session;
  }
}

absl::StatusOr<std::string> SummaryOf(const TrackerAddress& address,
                                      std::optional<ProgramRole> wanted) {
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Conversation> talk,
                         Conversation::Open(address, wanted));
  LATHE_RETURN_IF_ERROR(talk->Ask(AskSummary{}));
  LATHE_ASSIGN_OR_RETURN(const Frame frame, talk->Next());
  rpc::Summary summary;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &summary));
  return std::move(summary.json);
}

}  // namespace lathe::runtime::rpc
