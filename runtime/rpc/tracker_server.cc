#include "runtime/rpc/tracker_server.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/rpc/server_thread.h"
#include "runtime/rpc/transport.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kTickMs = 200;

// Above the leases of any tracker that ran here before: none lends once in a microsecond.
uint64_t FirstLease() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace

class TrackerServer::Loop final : private SocketLoop::Handler {
 public:
  Loop(TrackerOptions options, Listening listening, FileHandle wake)
      : log_(std::move(options.log)),
        sockets_(std::move(listening), *this),
        tracker_(std::move(options.door), RandomBytes, FirstLease()),
        thread_(std::move(wake)) {}
  ~Loop() override {
    Stop();
    Wait();
  }

  absl::Status Start() {
    return thread_.Start("the tracker", [this] { Run(); });
  }
  int port() const { return sockets_.port(); }
  void Stop() { thread_.Stop(); }
  void Wait() { thread_.Wait(); }

 private:
  void Run() {
    bool stopping = false;
    while (!stopping || !sockets_.empty()) {
      std::vector<pollfd> others = {thread_.asked_to_end()};
      sockets_.Step(others, kTickMs);
      if ((others[0].revents & POLLIN) != 0 && !std::exchange(stopping, true)) {
        sockets_.StopListening();
        tracker_.Stop();
      }
      tracker_.OnTick(MonotonicSeconds());
      Act();
    }
  }

  void OnConnect(uint64_t id, Peer peer) override {
    tracker_.OnConnect(id, std::move(peer), MonotonicSeconds());
  }
  size_t Wanted(uint64_t) override { return kMostControlBytes; }
  void OnBytes(uint64_t id, std::string_view bytes) override {
    tracker_.OnBytes(id, bytes, MonotonicSeconds());
    Act();
  }
  void OnClosed(uint64_t id) override { tracker_.OnClosed(id, MonotonicSeconds()); }

  void Act() {
    for (const Tracker::Action& action : tracker_.TakeActions()) {
      switch (action.kind) {
        case Tracker::Action::Kind::kSend:
          sockets_.Send(action.connection, action.bytes);
          break;
        case Tracker::Action::Kind::kClose:
          sockets_.Close(action.connection);
          break;
        case Tracker::Action::Kind::kLog:
          if (log_) log_(action.bytes);
          break;
      }
    }
  }

  std::function<void(std::string_view line)> log_;
  SocketLoop sockets_;
  Tracker tracker_;
  ServerThread thread_;  // the last: it uses the others
};

TrackerServer::TrackerServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
TrackerServer::~TrackerServer() = default;
int TrackerServer::port() const { return loop_->port(); }
void TrackerServer::Stop() { loop_->Stop(); }
void TrackerServer::Wait() { loop_->Wait(); }

absl::StatusOr<std::unique_ptr<TrackerServer>> TrackerServer::Start(TrackerOptions options) {
  LATHE_ASSIGN_OR_RETURN(Listening listening, Listen(options.listen, options.door));
  FileHandle wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return LinkLost(std::strerror(errno));
  auto loop = std::make_unique<Loop>(std::move(options), std::move(listening), std::move(wake));
  LATHE_RETURN_IF_ERROR(loop->Start());
  return std::unique_ptr<TrackerServer>(new TrackerServer(std::move(loop)));
}

}  // namespace lathe::runtime::rpc
