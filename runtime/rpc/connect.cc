#include "runtime/rpc/connect.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "base/poll.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kSliceMs = 50;
constexpr auto kReasonWait = std::chrono::milliseconds(1500);

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The control connection of a session, with the thread that serves it.
class ControlLink {
 public:
  ControlLink(FileHandle socket, ControlOptions options)
      : socket_(std::move(socket)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        client_(std::move(options), RandomBytes, Now()) {}
  ~ControlLink() {
    Close();
    if (thread_.joinable()) thread_.join();
  }

  // On the calling thread, until the session is open. May throw what PollNow throws.
  absl::Status Open(const ConnectOptions& options) {
    uint64_t before = 0;
    while (client_.state() != ControlClient::State::kOpen) {
      Step();
      LATHE_RETURN_IF_ERROR(client_.end());
      if (client_.state() == ControlClient::State::kEnded)
        return LinkLost("the session was closed");
      if (client_.state() == ControlClient::State::kQueued && options.queued &&
          client_.before() != before) {
        before = client_.before();
        options.queued(before);
      }
      PollNow();
    }
    return absl::OkStatus();
  }
  std::string token() const { return client_.token(); }
  std::string route() const { return client_.route(); }
  // `tick` is called at least each half second, `ended` once, with the reason.
  void StartThread(std::function<void()> tick, std::function<void(const absl::Status&)> ended) {
    tick_ = std::move(tick);
    wait_ms_ = 10 * kSliceMs;
    thread_ = std::thread([this, ended = std::move(ended)] {
      while (client_.state() != ControlClient::State::kEnded) Step();
      shutdown(socket_.get(), SHUT_RDWR);  // the server need not wait for the owner
      if (!client_.end().ok()) ended(client_.end());
    });
  }

  void Cancel(uint64_t request) {
    std::lock_guard lock(mutex_);
    client_.Cancel(request);
    Wake();
  }
  void Close() {
    std::lock_guard lock(mutex_);
    client_.Close();
    closed_ = true;
    Wake();
  }
  absl::Status WhyEnded(const absl::Status& link) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, kReasonWait,
                    [this] { return client_.state() == ControlClient::State::kEnded; });
    if (client_.state() == ControlClient::State::kEnded && !client_.end().ok())
      return client_.end();
    // Whatever the far side does after this is nobody's.
    client_.Close();
    closed_ = true;
    Wake();
    return link;
  }

 private:
  void Wake() {
    const uint64_t one = 1;
    const ssize_t ignored = write(wake_.get(), &one, sizeof(one));
    static_cast<void>(ignored);
  }

  // Waits for up to 50 ms, receives and sends. Only the thread whose turn it is reads the socket.
  void Step() {
    std::string output;
    {
      std::lock_guard lock(mutex_);
      client_.OnTick(Now());
      unsent_ += client_.TakeOutput();
      // A closed session waits for the server's last word for a moment only.
      if (closed_ && unsent_.empty()) {
        client_.OnClosed();
        ended_.notify_all();
        return;
      }
    }
    pollfd polled[] = {
        {socket_.get(), static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT)), 0},
        {wake_.get(), POLLIN, 0}};
    poll(polled, 2, wait_ms_);
    uint64_t woken = 0;
    const ssize_t ignored = read(wake_.get(), &woken, sizeof(woken));
    static_cast<void>(ignored);
    if ((polled[0].revents & POLLOUT) != 0) {
      const ssize_t sent =
          send(socket_.get(), unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) unsent_.erase(0, static_cast<size_t>(sent));
    }
    if ((polled[0].revents & ~POLLOUT) != 0) Receive();
    if (tick_) tick_();
  }

  void Receive() {
    char bytes[16384];
    const ssize_t got = recv(socket_.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    std::lock_guard lock(mutex_);
    if (got > 0) {
      client_.OnBytes(std::string_view(bytes, static_cast<size_t>(got)), Now());
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      client_.OnClosed();
    }
    if (client_.state() == ControlClient::State::kEnded) ended_.notify_all();
  }

  FileHandle socket_, wake_;
  std::string unsent_;
  std::function<void()> tick_;
  int wait_ms_ = kSliceMs;  // set before the thread begins
  std::mutex mutex_;        // what follows
  std::condition_variable ended_;
  ControlClient client_;
  bool closed_ = false;
  std::thread thread_;
};

class LinkControl final : public Control {
 public:
  explicit LinkControl(std::shared_ptr<ControlLink> link) : link_(std::move(link)) {}
  void Cancel(uint64_t request) override { link_->Cancel(request); }
  absl::Status WhyEnded(const absl::Status& status) override { return link_->WhyEnded(status); }
  void Close() override { link_->Close(); }

 private:
  std::shared_ptr<ControlLink> link_;
};

}  // namespace

absl::StatusOr<Ref<RemoteSession>> Connect(ConnectOptions options) {
  const std::string name = options.host + ":" + std::to_string(options.port);
  LATHE_ASSIGN_OR_RETURN(FileHandle control,
                         ConnectTcp(options.host, options.port, options.timeout));
  options.control.machine = ThisMachine();
  const auto link = std::make_shared<ControlLink>(std::move(control), options.control);
  LATHE_RETURN_IF_ERROR(link->Open(options));
  LATHE_ASSIGN_OR_RETURN(FileHandle data, ConnectTcp(options.host, options.port, options.timeout));
  if (const std::string route = link->route(); !route.empty()) {
    // A few bytes, which a new connection takes at once.
    const FileProblem sent = WriteAll(data.get(), EncodeFrame(Follow{route}));
    if (!sent.ok()) return LinkLost(sent.text);
  }
  LATHE_ASSIGN_OR_RETURN(Ref<RemoteSession> session,
                         RemoteSession::Open(name, NewSocketTransport(std::move(data)),
                                             std::make_unique<LinkControl>(link)));
  // A session that nobody uses has to hear of its end, and to give back what was dropped.
  // It ends before the caller does, which owns it.
  Caller* const caller = &session->caller();
  link->StartThread([caller] { caller->Flush(); },
                    [caller](const absl::Status& reason) { caller->Break(reason); });
  Attach attach{link->token()};
  LATHE_ASSIGN_OR_RETURN(const Frame frame, session->caller().Ask(attach));
  Done done;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &done));
  return session;
}

}  // namespace lathe::runtime::rpc
