#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/poll.h"
#include "base/thread.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/rpc/tls_transport.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kSliceMs = 50;
constexpr auto kReasonWait = std::chrono::milliseconds(1500);
constexpr auto kCloseWait = std::chrono::milliseconds(200);

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
    uint64_t place = 0;
    const double begin = Now();
    while (client_.state() != ControlClient::State::kOpen) {
      Step();
      LATHE_RETURN_IF_ERROR(client_.end());
      if (client_.state() == ControlClient::State::kEnded)
        return LinkLost("the session was closed");
      if (client_.state() == ControlClient::State::kQueued && options.queued &&
          client_.place() != place && Now() - begin >= options.queued_after) {
        place = client_.place();
        options.queued(place);
      }
      PollNow();
    }
    return absl::OkStatus();
  }
  // After Open, before Start.
  std::string token() const { return client_.token(); }
  Machine server() const { return client_.server(); }
  std::string route() const { return client_.route(); }
  std::optional<Secret> key() const { return client_.key(); }
  absl::Status Start() {
    wait_ms_ = 10 * kSliceMs;
    LATHE_ASSIGN_OR_RETURN(thread_, StartThread("the connection of a session", [this] { Run(); }));
    return absl::OkStatus();
  }
  // From now on the caller's queue is sent at least each half second, and it is broken at the
  // session's end. The thread must end before it does.
  void Serve(Caller& caller) {
    caller_ = &caller;
    // The thread may have missed it.
    if (absl::Status end = Lives(); !end.ok()) caller.Break(end);
  }
  // OK while the session lives.
  absl::Status Lives() {
    const std::lock_guard lock(mutex_);
    if (client_.state() != ControlClient::State::kEnded) return absl::OkStatus();
    return client_.end().ok() ? LinkLost("the session was closed") : client_.end();
  }

  void Cancel(uint64_t request) {
    std::lock_guard lock(mutex_);
    client_.Cancel(request);
    Wake();
  }
  // Returns when that is sent, if it can be: the server would take the end of the data connection,
  // which comes next, for the worker's crash.
  void Close() {
    std::unique_lock lock(mutex_);
    client_.Close();
    closed_ = true;
    Wake();
    if (thread_.joinable())
      ended_.wait_for(lock, kCloseWait,
                      [this] { return client_.state() == ControlClient::State::kEnded; });
  }
  absl::Status WhyEnded(const absl::Status& link) {
    std::unique_lock lock(mutex_);
    const auto ended = [this] { return client_.state() == ControlClient::State::kEnded; };
    if (stepping_.load() == std::this_thread::get_id()) {
      // Found by the thread that must read the reason.
      const double until = Now() + std::chrono::duration<double>(kReasonWait).count();
      while (!ended() && Now() < until) {
        lock.unlock();
        Turn();
        lock.lock();
      }
    } else {
      ended_.wait_for(lock, kReasonWait, ended);
    }
    if (ended() && !client_.end().ok()) return client_.end();
    // Whatever the far side does after this is nobody's.
    client_.Close();
    closed_ = true;
    Wake();
    return link;
  }

 private:
  void Run() {
    stepping_ = std::this_thread::get_id();
    while (Lives().ok()) Step();
    shutdown(socket_.get(), SHUT_RDWR);  // the server need not wait for the owner
    Caller* const caller = caller_.load();
    if (caller != nullptr && !client_.end().ok()) caller->Break(client_.end());
  }

  void Wake() {
    const uint64_t one = 1;
    const ssize_t ignored = Uninterrupted([&] { return write(wake_.get(), &one, sizeof(one)); });
    static_cast<void>(ignored);
  }

  void Step() {
    Turn();
    if (Caller* const caller = caller_.load()) caller->Flush();
  }

  // Waits for up to `wait_ms_`, receives and sends. Only the thread whose turn it is reads the
  // socket.
  void Turn() {
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
  std::atomic<Caller*> caller_ = nullptr;
  int wait_ms_ = kSliceMs;  // set before the thread begins
  // The thread that Run is in: meanwhile only it turns the client.
  std::atomic<std::thread::id> stepping_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  ControlClient client_;
  bool closed_ = false;
  Thread thread_;
};

class LinkControl final : public Control {
 public:
  explicit LinkControl(std::unique_ptr<ControlLink> link) : link_(std::move(link)) {}
  void Cancel(uint64_t request) override { link_->Cancel(request); }
  absl::Status WhyEnded(const absl::Status& status) override { return link_->WhyEnded(status); }
  void Close() override { link_->Close(); }

 private:
  std::unique_ptr<ControlLink> link_;
};

// The data connection of an open session, when the worker has it; `*machine` becomes the worker's.
absl::StatusOr<std::unique_ptr<Transport>> OpenData(const ConnectOptions& options,
                                                    ControlLink& link, Machine* machine) {
  LATHE_ASSIGN_OR_RETURN(FileHandle socket,
                         ConnectTcp(options.host, options.port, options.timeout));
  // Neither is of use to others: they are used up, and under TLS only this side has the key.
  std::string first = EncodeFrame(Attach{link.token()});
  if (const std::string route = link.route(); !route.empty())
    first.insert(0, EncodeFrame(Follow{route}));
  const std::optional<Secret> key = link.key();
  LATHE_RETURN_IF_ERROR(link.Start());
  // A few bytes, which a new connection takes at once.
  const FileProblem sent = WriteAll(socket.get(), first);
  if (!sent.ok()) return link.WhyEnded(LinkLost(sent.text));
  const auto go_on = [&link] {
    PollNow();
    return link.Lives();
  };
  std::unique_ptr<Transport> transport = NewSocketTransport(std::move(socket));
  if (key) {
    absl::StatusOr<std::unique_ptr<Transport>> made =
        NewTlsTransport(std::move(transport), TlsSide::kClient, *key, go_on);
    if (!made.ok()) return link.WhyEnded(made.status());
    transport = *std::move(made);
  }
  FrameReader reader(kMostControlBytes);
  for (std::optional<Frame> frame;;) {
    LATHE_ASSIGN_OR_RETURN(frame, reader.Next());
    if (frame) {
      Done done;
      Refused refused;
      // A session that ended meanwhile: the control connection says why.
      if (frame->type == Refused::kType && DecodeFrame(*frame, &refused).ok() &&
          refused.reason.code != 0)
        return link.WhyEnded(FromFailure(refused.reason));
      LATHE_RETURN_IF_ERROR(DecodeFrame(*frame, &done));
      if (done.machine) *machine = *std::move(done.machine);
      return transport;
    }
    char bytes[512];
    const absl::StatusOr<size_t> got =
        transport->Receive(bytes, std::min(sizeof(bytes), reader.wanted()));
    if (!got.ok()) return link.WhyEnded(got.status());
    reader.Feed({bytes, *got});
    LATHE_RETURN_IF_ERROR(go_on());
  }
}

}  // namespace

absl::StatusOr<Ref<RemoteSession>> Connect(ConnectOptions options) {
  const std::string name = options.host + ":" + std::to_string(options.port);
  LATHE_ASSIGN_OR_RETURN(FileHandle control,
                         ConnectTcp(options.host, options.port, options.timeout));
  options.control.machine = ThisMachine();
  auto owned = std::make_unique<ControlLink>(std::move(control), options.control);
  ControlLink& link = *owned;
  LATHE_RETURN_IF_ERROR(link.Open(options));
  Machine machine = link.server();
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Transport> data, OpenData(options, link, &machine));
  // From here on the link is the caller's alone: its thread uses the caller, and must end first
  // wherever the session ends, below too.
  LATHE_ASSIGN_OR_RETURN(
      Ref<RemoteSession> session,
      RemoteSession::Open(name, std::move(data), std::make_unique<LinkControl>(std::move(owned))));
  session->set_machine(std::move(machine));
  // A session that nobody uses has to hear of its end, and to give back what was dropped.
  link.Serve(session->caller());
  if (!options.constructor.empty())
    LATHE_RETURN_IF_ERROR(session->Construct(options.constructor, options.constructor_arguments));
  return session;
}

}  // namespace lathe::runtime::rpc
