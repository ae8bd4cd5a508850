#include "runtime/rpc/proxy_server.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/rpc/relay.h"
#include "runtime/rpc/server_thread.h"
#include "runtime/rpc/transport.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kTickMs = 200;

}  // namespace

class ProxyServer::Loop final : private SocketLoop::Handler {
 public:
  Loop(ProxyOptions options, Listening listening, FileHandle wake, FileHandle pair_wake,
       FileHandle relay_wake)
      : log_(std::move(options.log)),
        sockets_(std::move(listening), *this),
        pair_wake_(std::move(pair_wake)),
        proxy_(std::move(options.door), RandomBytes, options.limits),
        relay_([this](uint64_t pair, std::string_view problem) { OnEnded(pair, problem); },
               std::move(relay_wake)),
        thread_(std::move(wake)) {}
  ~Loop() override {
    Stop();
    Wait();
  }

  absl::Status Start() {
    LATHE_RETURN_IF_ERROR(relay_.Start());
    return thread_.Start("the proxy", [this] { Run(); });
  }
  int port() const { return sockets_.port(); }
  void Stop() { thread_.Stop(); }
  void Wait() { thread_.Wait(); }

 private:
  void Run() {
    bool stopping = false;
    while (!stopping || !sockets_.empty()) {
      std::vector<pollfd> others = {thread_.asked_to_end(), {pair_wake_.get(), POLLIN, 0}};
      sockets_.Step(others, kTickMs);
      if ((others[0].revents & POLLIN) != 0 && !std::exchange(stopping, true)) {
        sockets_.StopListening();
        proxy_.Stop();
      }
      TakeEnded();
      proxy_.OnTick(MonotonicSeconds());
      Act();
    }
  }

  void OnConnect(uint64_t id, Peer peer) override {
    proxy_.OnConnect(id, std::move(peer), MonotonicSeconds());
  }
  size_t Wanted(uint64_t id) override { return proxy_.Wanted(id); }
  void OnBytes(uint64_t id, std::string_view bytes) override {
    proxy_.OnBytes(id, bytes, MonotonicSeconds());
    Act();
  }
  void OnClosed(uint64_t id) override { proxy_.OnClosed(id, MonotonicSeconds()); }

  // From the relay's thread.
  void OnEnded(uint64_t pair, std::string_view problem) {
    {
      std::lock_guard lock(mutex_);
      ended_.emplace_back(pair, problem);
    }
    eventfd_write(pair_wake_.get(), 1);
  }
  void TakeEnded() {
    eventfd_t ignored = 0;
    eventfd_read(pair_wake_.get(), &ignored);
    std::vector<std::pair<uint64_t, std::string>> ended;
    {
      std::lock_guard lock(mutex_);
      ended = std::exchange(ended_, {});
    }
    for (const auto& [pair, problem] : ended) {
      if (!problem.empty() && log_) log_("a connection was ended: " + problem);
      proxy_.OnPairEnded(pair, MonotonicSeconds());
    }
  }

  void Act() {
    for (std::vector<Proxy::Action> actions = proxy_.TakeActions(); !actions.empty();
         actions = proxy_.TakeActions()) {
      for (const Proxy::Action& action : actions) Act(action);
    }
  }

  void Act(const Proxy::Action& action) {
    switch (action.kind) {
      case Proxy::Action::Kind::kSend:
        sockets_.Send(action.connection, action.bytes);
        break;
      case Proxy::Action::Kind::kClose:
        sockets_.Close(action.connection);
        break;
      case Proxy::Action::Kind::kJoin:
        relay_.Add(action.pair, sockets_.Take(action.connection), sockets_.Take(action.other),
                   action.bytes);
        break;
      case Proxy::Action::Kind::kAsked: {
        const double now = MonotonicSeconds();
        proxy_.TellSummary(action.connection, {now - started_, relay_.bytes()}, now);
        break;
      }
      case Proxy::Action::Kind::kLog:
        if (log_) log_(action.bytes);
        break;
    }
  }

  const double started_ = MonotonicSeconds();
  std::function<void(std::string_view line)> log_;
  SocketLoop sockets_;
  FileHandle pair_wake_;  // a pair has ended
  std::mutex mutex_;
  std::vector<std::pair<uint64_t, std::string>> ended_;  // pairs, and why
  Proxy proxy_;
  Relay relay_;
  ServerThread thread_;  // the last: it uses the others
};

ProxyServer::ProxyServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
ProxyServer::~ProxyServer() = default;
int ProxyServer::port() const { return loop_->port(); }
void ProxyServer::Stop() { loop_->Stop(); }
void ProxyServer::Wait() { loop_->Wait(); }

absl::StatusOr<std::unique_ptr<ProxyServer>> ProxyServer::Start(ProxyOptions options) {
  LATHE_ASSIGN_OR_RETURN(Listening listening, Listen(options.listen, options.door));
  FileHandle wakes[3];
  for (FileHandle& wake : wakes) {
    wake = FileHandle(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake.is_open()) return LinkLost(std::strerror(errno));
  }
  auto loop = std::make_unique<Loop>(std::move(options), std::move(listening), std::move(wakes[0]),
                                     std::move(wakes[1]), std::move(wakes[2]));
  LATHE_RETURN_IF_ERROR(loop->Start());
  return std::unique_ptr<ProxyServer>(new ProxyServer(std::move(loop)));
}

}  // namespace lathe::runtime::rpc
