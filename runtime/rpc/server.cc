#include "runtime/rpc/server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "base/file.h"
#include "runtime/rpc/peer_user.h"
#include "runtime/rpc/worker_process.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kTickMs = 100;
constexpr double kLingerSeconds = 2;  // for a client that does not take what it was told
constexpr size_t kMostOutput = size_t{1} << 20;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::Status BadPort(const ServerOptions& options, std::string_view why) {
  return MakeStatus(
      absl::StatusCode::kUnavailable, "rpc-port",
      {"cannot listen on ", options.host, ":", std::to_string(options.port), ": ", why});
}

struct Listening {
  FileHandle socket;
  int port = 0;
  bool loopback = false;
};

// Listens on the first port of the range that is free.
absl::StatusOr<Listening> Listen(const ServerOptions& options) {
  if (options.port < 0 || options.port > 65535) return BadPort(options, "there is no such port");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int problem = getaddrinfo(options.host.c_str(), nullptr, &hints, &list); problem != 0)
    return BadPort(options, gai_strerror(problem));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (int port = options.port; port <= std::max(options.port, options.port_end - 1); ++port) {
    Listening made;
    made.socket =
        FileHandle(socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    setsockopt(made.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_storage address{};
    std::memcpy(&address, list->ai_addr, list->ai_addrlen);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    auto* const four = reinterpret_cast<sockaddr_in*>(&address);
    auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
    const bool is_four = address.ss_family == AF_INET;
    (is_four ? four->sin_port : six->sin6_port) = htons(static_cast<uint16_t>(port));
    socklen_t size = list->ai_addrlen;
    if (!made.socket.is_open() || bind(made.socket.get(), general, size) != 0 ||
        listen(made.socket.get(), 128) != 0) {
      error = errno;
      continue;
    }
    getsockname(made.socket.get(), general, &size);
    made.port = ntohs(is_four ? four->sin_port : six->sin6_port);
    made.loopback = is_four ? ntohl(four->sin_addr.s_addr) >> 24 == 127
                            : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) != 0;
    return made;
  }
  return BadPort(options, std::strerror(error));
}

}  // namespace

// The server's thread: waits for sockets and processes, and carries out the supervisor's actions.
class Server::Loop {
 public:
  Loop(ServerOptions options, Listening listening, FileHandle wake)
      : options_(std::move(options)),
        listening_(std::move(listening)),
        wake_(std::move(wake)),
        supervisor_(options_.supervisor, RandomBytes),
        thread_([this] { Run(); }) {}
  ~Loop() {
    Stop();
    Wait();
  }

  int port() const { return listening_.port; }
  void Stop() {
    const uint64_t one = 1;
    const ssize_t ignored = write(wake_.get(), &one, sizeof(one));  // async-signal-safe
    static_cast<void>(ignored);
  }
  void Wait() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Client {
    FileHandle socket;
    std::string output;
    bool closing = false;
    double closed = 0;  // when closing began
  };

  void Run() {
    bool stopping = false;
    Act();
    while (!stopping || !clients_.empty() || !workers_.empty()) {
      if (WaitForEvents(stopping) && !std::exchange(stopping, true)) supervisor_.Stop(Now());
      supervisor_.OnTick(Now());
      CollectWorkers();
      Act();
      FlushClients();
    }
  }

  // Returns true if Stop was called.
  bool WaitForEvents(bool stopping) {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}};
    if (!stopping && !crowded_) polled.push_back({listening_.socket.get(), POLLIN, 0});
    const size_t first_client = polled.size();
    std::vector<uint64_t> ids;
    for (const auto& [id, client] : clients_) {
      short events = client.closing || supervisor_.Wanted(id) > 0 ? POLLIN : 0;
      if (!client.output.empty()) events = static_cast<short>(events | POLLOUT);
      polled.push_back({client.socket.get(), events, 0});
      ids.push_back(id);
    }
    for (const auto& [id, worker] : workers_) {
      if (worker->output() >= 0) polled.push_back({worker->output(), POLLIN, 0});
    }
    crowded_ = false;
    poll(polled.data(), polled.size(), kTickMs);
    for (auto& [id, worker] : workers_) {
      if (worker->output() >= 0) worker->ReadOutput();
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      if ((polled[first_client + i].revents & ~POLLOUT) != 0) ReadFrom(ids[i]);
    }
    if (first_client == 2 && polled[1].revents != 0) Accept();
    return (polled[0].revents & POLLIN) != 0;
  }

  void Accept() {
    for (int i = 0; i < 64; ++i) {
      FileHandle socket(
          accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket.is_open()) {
        // Without descriptors the next one has to wait until somebody leaves.
        crowded_ = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        return;
      }
      const int on = 1;
      setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const uint64_t id = ++last_client_;
      Supervisor::Peer peer = PeerOf(socket.get());
      clients_[id].socket = std::move(socket);
      supervisor_.OnConnect(id, std::move(peer), Now());
    }
  }

  void ReadFrom(uint64_t id) {
    const auto at = clients_.find(id);
    if (at == clients_.end()) return;
    char bytes[16384];
    size_t wanted = supervisor_.Wanted(id);
    if (at->second.closing) wanted = sizeof(bytes);  // thrown away
    if (wanted == 0) return;
    const ssize_t got = Uninterrupted(
        [&] { return recv(at->second.socket.get(), bytes, std::min(wanted, sizeof(bytes)), 0); });
    if (got > 0) {
      if (!at->second.closing)
        supervisor_.OnBytes(id, std::string_view(bytes, static_cast<size_t>(got)), Now());
    } else if (got == 0 || errno != EAGAIN) {
      clients_.erase(at);
      supervisor_.OnClosed(id, Now());
    }
    // What it wants may be of another connection now: one step at a time.
    Act();
  }

  void CollectWorkers() {
    std::vector<std::pair<uint64_t, WorkerEnd>> ended;
    for (auto at = workers_.begin(); at != workers_.end();) {
      WorkerEnd end;
      if (at->second->Ended(&end)) {
        ended.emplace_back(at->first, std::move(end));
        at = workers_.erase(at);
      } else {
        ++at;
      }
    }
    for (const auto& [id, end] : ended) supervisor_.OnWorkerEnded(id, end, Now());
  }

  void Act() {
    for (std::vector<Supervisor::Action> actions = supervisor_.TakeActions(); !actions.empty();
         actions = supervisor_.TakeActions()) {
      for (Supervisor::Action& action : actions) Act(action);
    }
  }

  void Act(Supervisor::Action& action) {
    using Kind = Supervisor::Action::Kind;
    const auto client = clients_.find(action.connection);
    const auto worker = workers_.find(action.worker);
    switch (action.kind) {
      case Kind::kSend:
        if (client != clients_.end()) client->second.output += action.bytes;
        return;
      case Kind::kClose:
        if (client == clients_.end()) return;
        client->second.closing = true;
        client->second.closed = Now();
        return;
      case Kind::kStartWorker: {
        absl::StatusOr<std::unique_ptr<WorkerProcess>> started =
            WorkerProcess::Start(options_.worker);
        if (started.ok()) {
          workers_[action.worker] = *std::move(started);
        } else {
          supervisor_.OnWorkerEnded(action.worker,
                                    {false, 127, std::string(started.status().message())}, Now());
        }
        return;
      }
      case Kind::kPass:
        if (client == clients_.end()) return;
        fcntl(client->second.socket.get(), F_SETFL, 0);  // the worker waits in its calls
        if (worker != workers_.end())
          worker->second->Pass(client->second.socket.get(), action.request);
        clients_.erase(client);
        return;
      case Kind::kCancel:
        if (worker != workers_.end()) worker->second->Cancel(action.request);
        return;
      case Kind::kKill:
        if (worker != workers_.end()) worker->second->Kill();
        return;
      case Kind::kLog:
        if (options_.log) options_.log(action.bytes);
        return;
    }
  }

  void FlushClients() {
    std::vector<uint64_t> gone;
    for (auto& [id, client] : clients_) {
      if (!client.output.empty()) {
        const ssize_t sent = Uninterrupted([&, &one = client] {
          return send(one.socket.get(), one.output.data(), one.output.size(), MSG_NOSIGNAL);
        });
        if (sent > 0) client.output.erase(0, static_cast<size_t>(sent));
        const bool lost = sent < 0 && errno != EAGAIN;
        // Nobody needs that much: a client that asks and does not listen.
        if (lost || client.output.size() > kMostOutput) gone.push_back(id);
      } else if (client.closing && client.closed > 0) {
        // Its end arrives after what was said; the socket stays until the client has read that.
        shutdown(client.socket.get(), SHUT_WR);
        client.closed = -client.closed;
      }
      const bool lingered = client.closing && Now() - std::abs(client.closed) > kLingerSeconds;
      if (lingered && (gone.empty() || gone.back() != id)) gone.push_back(id);
    }
    for (const uint64_t id : gone) {
      clients_.erase(id);
      supervisor_.OnClosed(id, Now());
    }
    Act();
  }

  ServerOptions options_;
  Listening listening_;
  FileHandle wake_;
  Supervisor supervisor_;
  std::map<uint64_t, Client> clients_;
  std::map<uint64_t, std::unique_ptr<WorkerProcess>> workers_;
  uint64_t last_client_ = 0;
  bool crowded_ = false;
  std::thread thread_;  // the last: it uses the others
};

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Server::~Server() = default;
int Server::port() const { return loop_->port(); }
void Server::Stop() { loop_->Stop(); }
void Server::Wait() { loop_->Wait(); }

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  LATHE_ASSIGN_OR_RETURN(Listening listening, Listen(options));
  const SupervisorOptions& who = options.supervisor;
  if (!listening.loopback && !who.secret && !who.insecure)
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "rpc-insecure",
        {"other machines can reach ", options.host,
         ", and whoever opens a session can run any code here\nhelp: give the server a secret "
         "(`lathe-rpc-server --keygen FILE`, then --secret-file FILE); or listen on 127.0.0.1 and "
         "reach "
         "it through ssh (-L); --insecure takes anybody, on a network that you trust wholly"});
  FileHandle wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open()) return BadPort(options, std::strerror(errno));
  return std::unique_ptr<Server>(new Server(
      std::make_unique<Loop>(std::move(options), std::move(listening), std::move(wake))));
}

}  // namespace lathe::runtime::rpc
