#include "runtime/rpc/socket_loop.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/rpc/peer_user.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr double kLingerSeconds = 2;  // for a client that does not take what it was told
constexpr size_t kMostClosing = 256;
constexpr size_t kMostOutput = size_t{1} << 20;

absl::Status BadPort(const ListenOptions& options, std::string_view why) {
  return MakeStatus(
      absl::StatusCode::kUnavailable, "rpc-port",
      {"cannot listen on ", options.host, ":", std::to_string(options.port), ": ", why});
}

absl::StatusOr<Listening> ListenOnFree(const ListenOptions& options) {
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

double MonotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::StatusOr<Listening> Listen(const ListenOptions& options, const DoorOptions& door) {
  LATHE_ASSIGN_OR_RETURN(Listening listening, ListenOnFree(options));
  listening.asks_user = !door.secret;
  if (listening.loopback || door.secret || door.insecure) return listening;
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "rpc-insecure",
      {"other machines can reach ", options.host,
       ", and whoever opens a session can run any code here\nhelp: give the server a secret "
       "(`lathe remote keygen FILE`, or `lathe-rpc-server --keygen FILE`, then --secret-file "
       "FILE); or listen on 127.0.0.1 and reach it through ssh (-L); --insecure takes anybody, on "
       "a network that you trust wholly"});
}

void SocketLoop::Step(std::vector<pollfd>& others, int wait_ms) {
  std::vector<pollfd> polled = others;
  const bool listens = listening_.socket.is_open() && !crowded_;
  if (listens) polled.push_back({listening_.socket.get(), POLLIN, 0});
  const size_t first_client = polled.size();
  std::vector<uint64_t> ids;
  for (const auto& [id, client] : clients_) {
    short events = client.closing || handler_.Wanted(id) > 0 ? POLLIN : 0;
    if (!client.output.empty()) events = static_cast<short>(events | POLLOUT);
    polled.push_back({client.socket.get(), events, 0});
    ids.push_back(id);
  }
  crowded_ = false;
  poll(polled.data(), polled.size(), wait_ms);
  std::copy(polled.begin(), polled.begin() + static_cast<std::ptrdiff_t>(others.size()),
            others.begin());
  for (size_t i = 0; i < ids.size(); ++i) {
    const int happened = polled[first_client + i].revents;
    if ((happened & ~POLLOUT) != 0) ReadFrom(ids[i], (happened & (POLLERR | POLLHUP)) != 0);
  }
  if (listens && polled[first_client - 1].revents != 0) Accept();
  Flush();
}

void SocketLoop::Accept() {
  for (int i = 0; i < 64; ++i) {
    FileHandle socket(
        accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) {
      // Without descriptors the next one has to wait until somebody leaves.
      crowded_ = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
      return;
    }
    Peer peer = PeerOf(socket.get(), asks_user_);
    handler_.OnConnect(Adopt(std::move(socket)), std::move(peer));
  }
}

uint64_t SocketLoop::Adopt(FileHandle socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  clients_[++last_client_].socket = std::move(socket);
  return last_client_;
}

uint64_t SocketLoop::DialAgain(uint64_t connection) {
  const auto at = clients_.find(connection);
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (at == clients_.end() || getpeername(at->second.socket.get(), general, &size) != 0) return 0;
  FileHandle one(socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!one.is_open() || (connect(one.get(), general, size) != 0 && errno != EINPROGRESS)) return 0;
  return Adopt(std::move(one));
}

bool SocketLoop::PeerIsThisUser(uint64_t connection) const {
  const auto at = clients_.find(connection);
  return at != clients_.end() && PeerOf(at->second.socket.get(), /*ask_user=*/true).same_user;
}

void SocketLoop::Forget(uint64_t id) {
  clients_.erase(id);
  handler_.OnClosed(id);
}

void SocketLoop::ReadFrom(uint64_t id, bool broken) {
  const auto at = clients_.find(id);
  if (at == clients_.end()) return;
  char bytes[16384];
  const bool closing = at->second.closing;  // what arrives is thrown away
  const size_t wanted = closing ? sizeof(bytes) : handler_.Wanted(id);
  if (wanted == 0) {
    // Nobody reads that it is broken, and the system would say so again and again.
    if (broken) Forget(id);
    return;
  }
  const ssize_t got = Uninterrupted(
      [&] { return recv(at->second.socket.get(), bytes, std::min(wanted, sizeof(bytes)), 0); });
  if (got > 0) {
    if (!closing) handler_.OnBytes(id, std::string_view(bytes, static_cast<size_t>(got)));
  } else if (got == 0 || errno != EAGAIN) {
    Forget(id);
  }
}

void SocketLoop::Send(uint64_t id, std::string_view bytes) {
  const auto at = clients_.find(id);
  if (at != clients_.end()) at->second.output += bytes;
}

void SocketLoop::Close(uint64_t id) {
  const auto at = clients_.find(id);
  if (at == clients_.end() || std::exchange(at->second.closing, true)) return;
  at->second.closed = MonotonicSeconds();
}

FileHandle SocketLoop::Take(uint64_t id) {
  const auto at = clients_.find(id);
  if (at == clients_.end()) return {};
  FileHandle socket = std::move(at->second.socket);
  // What was said comes before what others say now.
  if (!SendNow(socket.get(), at->second.output)) shutdown(socket.get(), SHUT_RDWR);
  clients_.erase(at);
  return socket;
}

bool SendNow(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = Uninterrupted(
        [&] { return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void SocketLoop::Flush() {
  std::vector<uint64_t> gone;
  std::vector<std::pair<double, uint64_t>> closing;
  const double now = MonotonicSeconds();
  for (auto& [id, client] : clients_) {
    bool lost = false;
    if (!client.output.empty()) {
      const ssize_t sent = Uninterrupted([&, &one = client] {
        return send(one.socket.get(), one.output.data(), one.output.size(), MSG_NOSIGNAL);
      });
      if (sent > 0) client.output.erase(0, static_cast<size_t>(sent));
      // Nobody needs that much: a client that asks and does not listen.
      lost = (sent < 0 && errno != EAGAIN) || client.output.size() > kMostOutput;
    } else if (client.closing && !std::exchange(client.ended, true)) {
      // The end arrives after what was said; the socket stays until the peer has read that.
      shutdown(client.socket.get(), SHUT_WR);
    }
    if (lost || (client.closing && now - client.closed > kLingerSeconds)) {
      gone.push_back(id);
    } else if (client.closing) {
      closing.emplace_back(client.closed, id);
    }
  }
  // Those that were refused do not use up the descriptors.
  if (closing.size() > kMostClosing) {
    std::sort(closing.begin(), closing.end());
    for (size_t i = 0; i < closing.size() - kMostClosing; ++i) gone.push_back(closing[i].second);
  }
  for (const uint64_t id : gone) Forget(id);
}

}  // namespace lathe::runtime::rpc
