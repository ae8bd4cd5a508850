#include "runtime/rpc/server.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file.h"
#include "runtime/rpc/confine.h"
#include "runtime/rpc/janitor.h"
#include "runtime/rpc/proxy_link.h"
#include "runtime/rpc/server_thread.h"
#include "runtime/rpc/socket_loop.h"
#include "runtime/rpc/tracker_link.h"
#include "runtime/rpc/transport.h"
#include "runtime/rpc/upstream.h"
#include "runtime/rpc/worker_process.h"
#include "runtime/session/session_folder.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kTickMs = 100;

// By its name alone: a tracker may be there later only.
bool IsThisMachine(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace

// The server's thread: waits for sockets and processes, and carries out the supervisor's actions.
class Server::Loop final : private SocketLoop::Handler {
 public:
  Loop(ServerOptions options, Listening listening, FileHandle wake, FileHandle cleaned)
      : options_(std::move(options)),
        sockets_(std::move(listening), *this),
        cleaned_(std::move(cleaned)),
        supervisor_(options_.supervisor, RandomBytes),
        thread_(std::move(wake)) {}
  ~Loop() override {
    Stop();
    Wait();
  }

  absl::Status Start() {
    return thread_.Start("the server", [this] { Run(); });
  }
  int port() const { return sockets_.port(); }
  void Stop() { thread_.Stop(); }
  void Wait() { thread_.Wait(); }

 private:
  void Run() {
    bool stopping = false;
    double stopped = 0;
    SweepFolders();
    MakeUpstreams();
    Act();
    while (!stopping || !sockets_.empty() || !workers_.empty()) {
      std::vector<pollfd> others = {thread_.asked_to_end(), {cleaned_.get(), POLLIN, 0}};
      for (const auto& [id, worker] : workers_) worker->AddTo(others);
      sockets_.Step(others, kTickMs);
      if ((others[0].revents & POLLIN) != 0 && !std::exchange(stopping, true)) {
        sockets_.StopListening();
        stopped = MonotonicSeconds();
        supervisor_.Stop(stopped);
        if (tracker_) tracker_->Leave(sockets_);
        if (proxy_) proxy_->Leave(sockets_);
      }
      for (auto& [id, worker] : workers_) {
        for (size_t answers = worker->Listen(); answers > 0; --answers)
          supervisor_.OnCancelled(id, MonotonicSeconds());
      }
      supervisor_.OnTick(MonotonicSeconds());
      if (!stopping) ServeUpstreams();
      CollectWorkers();
      if (others[1].revents != 0) HearOfFolders();
      Act();
      if (stopping && MonotonicSeconds() - stopped > options_.supervisor.kill_seconds)
        AbandonWorkers();
    }
    janitor_.reset();
  }

  void SweepFolders() {
    if (!options_.start_worker)
      janitor_->Do([] { RemoveAbandonedSessionFolders(SessionFolderPlace()); });
  }

  // Those that cannot be killed would keep this process from its end.
  void AbandonWorkers() {
    std::erase_if(workers_, [this](const auto& one) {
      if (!one.second->Abandon()) return false;
      if (options_.log)
        options_.log("a worker was killed and does not end: this server ends without it");
      return true;
    });
  }

  void OnConnect(uint64_t id, Peer peer) override {
    supervisor_.OnConnect(id, std::move(peer), MonotonicSeconds());
  }
  size_t Wanted(uint64_t id) override {
    return UplinkOf(id) != nullptr ? kMostControlBytes : supervisor_.Wanted(id);
  }
  void OnBytes(uint64_t id, std::string_view bytes) override {
    if (Uplink* const link = UplinkOf(id)) {
      link->OnBytes(bytes, MonotonicSeconds());
    } else {
      supervisor_.OnBytes(id, bytes, MonotonicSeconds());
    }
    // What may be read next depends on it.
    Act();
  }
  void OnClosed(uint64_t id) override {
    if (tracker_ && id == tracker_->connection()) return tracker_->OnClosed();
    if (proxy_ && id == proxy_->connection()) return proxy_->OnClosed();
    supervisor_.OnClosed(id, MonotonicSeconds());
  }

  // Of a connection with the tracker or the proxy; else nullptr.
  Uplink* UplinkOf(uint64_t id) {
    if (tracker_ && id == tracker_->connection()) return &tracker_->link();
    if (proxy_ && id == proxy_->connection()) return &proxy_->link();
    return nullptr;
  }

  void MakeUpstreams() {
    const SupervisorOptions& own = options_.supervisor;
    const auto greeting = [&own] { return Greeting(own.secret, {}, own.machine, RandomBytes(16)); };
    if (!options_.proxy_host.empty()) {
      proxy_.emplace(Upstream<ProxyLink>::Options{
          "proxy", options_.proxy_host, options_.proxy_port,
          [this, greeting](double now) {
            const SupervisorOptions& device = options_.supervisor;
            return std::make_unique<ProxyLink>(
                greeting(), Offer{device.key, number_, device.max_sessions}, now);
          },
          options_.log});
    }
    if (options_.tracker_host.empty()) return;
    tracker_.emplace(Upstream<TrackerLink>::Options{
        "tracker", options_.tracker_host, options_.tracker_port,
        [this, greeting](double now) {
          Register device{
              options_.supervisor.key, static_cast<uint64_t>(port()), {}, supervisor_.lease(), {}};
          if (proxy_) {
            device.host = options_.proxy_host;
            device.port = static_cast<uint64_t>(options_.proxy_port);
            device.device = number_;
          }
          if (!options_.tracker_address.empty()) device.host = options_.tracker_address;
          return std::make_unique<TrackerLink>(greeting(), std::move(device), now);
        },
        options_.log});
  }

  // Takes the tracker's leases and the proxy's visitors.
  void ServeUpstreams() {
    const double now = MonotonicSeconds();
    if (tracker_) {
      tracker_->Serve(sockets_, now);
      if (tracker_->connection() != 0) {
        for (const uint64_t lease : tracker_->link().TakeLeases()) supervisor_.OnLease(lease, now);
      }
    }
    if (!proxy_) return;
    proxy_->Serve(sockets_, now);
    if (proxy_->connection() == 0) return;
    for (const Visitor& visitor : proxy_->link().TakeVisitors()) {
      const uint64_t id = sockets_.DialAgain(proxy_->connection());
      if (id == 0) continue;  // the proxy tells the client that this device does not answer
      sockets_.Send(id, EncodeFrame(Answer{visitor.token}));
      // The proxy is believed about its own machine if it is a process of this user on this one.
      const bool same_user =
          visitor.same_user != 0 && sockets_.PeerIsThisUser(proxy_->connection());
      OnConnect(id, {visitor.address + " by the proxy", same_user});
    }
  }

  ServerFacts Facts(double now) const {
    ServerFacts facts;
    facts.uptime = now - started_;
    facts.folder = SessionFolderPlace();
    struct statvfs state{};
    if (statvfs(facts.folder.c_str(), &state) == 0)
      facts.free_bytes = static_cast<int64_t>(state.f_bavail * state.f_frsize);
    if (!options_.tracker_host.empty()) {
      facts.tracker = options_.tracker_host + ":" + std::to_string(options_.tracker_port);
      facts.registered = tracker_ && tracker_->connection() != 0;
    }
    return facts;
  }

  void CollectWorkers() {
    std::vector<std::pair<uint64_t, WorkerEnd>> ended;
    for (auto at = workers_.begin(); at != workers_.end();) {
      WorkerEnd end;
      if (at->second->Ended(&end)) {
        end.cleaning = true;
        ended.emplace_back(at->first, std::move(end));
        // Its folder may be large.
        janitor_->Do([this, id = at->first,
                      worker = std::shared_ptr<SupervisedWorker>(std::move(at->second))]() mutable {
          worker.reset();
          const std::lock_guard lock(cleaned_mutex_);
          cleaned_workers_.push_back(id);
          eventfd_write(cleaned_.get(), 1);
        });
        at = workers_.erase(at);
      } else {
        ++at;
      }
    }
    if (ended.empty()) return;
    SweepFolders();
    // A client that closed its session may have said so meanwhile.
    std::vector<pollfd> none;
    sockets_.Step(none, 0);
    for (const auto& [id, end] : ended) supervisor_.OnWorkerEnded(id, end, MonotonicSeconds());
  }

  // The janitor has removed some.
  void HearOfFolders() {
    eventfd_t ignored = 0;
    eventfd_read(cleaned_.get(), &ignored);
    std::vector<uint64_t> workers;
    {
      const std::lock_guard lock(cleaned_mutex_);
      workers.swap(cleaned_workers_);
    }
    for (const uint64_t worker : workers) supervisor_.OnCleaned(worker, MonotonicSeconds());
  }

  absl::StatusOr<std::unique_ptr<SupervisedWorker>> StartWorker() const {
    if (options_.start_worker) return options_.start_worker();
    return WorkerProcess::Start(options_.worker, options_.limits);
  }

  void Act() {
    for (std::vector<Supervisor::Action> actions = supervisor_.TakeActions(); !actions.empty();
         actions = supervisor_.TakeActions()) {
      for (const Supervisor::Action& action : actions) Act(action);
    }
  }

  void Act(const Supervisor::Action& action) {
    using Kind = Supervisor::Action::Kind;
    const auto worker = workers_.find(action.worker);
    switch (action.kind) {
      case Kind::kSend:
        sockets_.Send(action.connection, action.bytes);
        return;
      case Kind::kClose:
        sockets_.Close(action.connection);
        return;
      case Kind::kStartWorker: {
        absl::StatusOr<std::unique_ptr<SupervisedWorker>> started = StartWorker();
        if (started.ok()) {
          workers_[action.worker] = *std::move(started);
        } else {
          supervisor_.OnWorkerEnded(action.worker, {.start = started.status()}, MonotonicSeconds());
        }
        return;
      }
      case Kind::kPass: {
        FileHandle socket = sockets_.Take(action.connection);
        if (!socket.is_open() || worker == workers_.end()) return;
        fcntl(socket.get(), F_SETFL, 0);  // the worker waits in its calls
        worker->second->Pass(std::move(socket), action.request, action.bytes);
        return;
      }
      case Kind::kCancel:
        if (worker != workers_.end()) worker->second->Cancel(action.request);
        return;
      case Kind::kKill:
        if (worker != workers_.end()) worker->second->Kill();
        return;
      case Kind::kFreed:
        if (tracker_ && tracker_->connection() != 0) tracker_->link().Freed(action.request);
        return;
      case Kind::kAsked: {
        const double now = MonotonicSeconds();
        supervisor_.Answer(action.connection, Facts(now), now);
        return;
      }
      case Kind::kLog:
        if (options_.log) options_.log(action.bytes);
        return;
    }
  }

  const double started_ = MonotonicSeconds();
  ServerOptions options_;
  SocketLoop sockets_;
  FileHandle cleaned_;
  std::mutex cleaned_mutex_;
  std::vector<uint64_t> cleaned_workers_;  // for `cleaned_`; with its mutex
  Supervisor supervisor_;
  std::map<uint64_t, std::unique_ptr<SupervisedWorker>> workers_;
  const std::string number_ = RandomBytes(16);  // of this device, for the proxy
  std::optional<Upstream<TrackerLink>> tracker_;
  std::optional<Upstream<ProxyLink>> proxy_;
  std::optional<Janitor> janitor_{std::in_place};  // while the thread runs
  ServerThread thread_;                            // the last: it uses the others
};

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Server::~Server() = default;
int Server::port() const { return loop_->port(); }
void Server::Stop() { loop_->Stop(); }
void Server::Wait() { loop_->Wait(); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  SupervisorOptions& own = options.supervisor;
  own.leased = !options.tracker_host.empty();
  if (own.leased && own.key.empty())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-key",
                      "a server that a tracker lends needs a key\nhelp: --key names the kind of "
                      "this device");
  LATHE_RETURN_IF_ERROR(CheckKey(own.key));
  // A lease is for one session.
  if (own.leased) own.max_sessions = 1;
  Listening listening;
  if (options.proxy_host.empty()) {
    LATHE_ASSIGN_OR_RETURN(listening, Listen({options.host, options.port, options.port_end},
                                             {own.key, own.secret, own.insecure, own.machine}));
    if (own.leased && listening.loopback && options.tracker_address.empty() &&
        !IsThisMachine(options.tracker_host))
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "rpc-loopback",
          {"nobody could reach the device that the tracker ", options.tracker_host,
           " lends\nexpected: an address to listen on that other machines can reach\nfound: ",
           options.host,
           ", which only this machine can reach\nhelp: --host 0.0.0.0 with "
           "--secret-file; or --custom-addr, if there is another way to this machine"});
  }
  FileHandle wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  FileHandle cleaned(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open() || !cleaned.is_open()) return LinkLost(std::strerror(errno));
  if (options.limits.confined && !CanConfine() && options.log)
    options.log("this kernel has no Landlock: code of sessions may write to any file of this user");
  auto loop = std::make_unique<Loop>(std::move(options), std::move(listening), std::move(wake),
                                     std::move(cleaned));
  LATHE_RETURN_IF_ERROR(loop->Start());
  return std::unique_ptr<Server>(new Server(std::move(loop)));
}

}  // namespace lathe::runtime::rpc
