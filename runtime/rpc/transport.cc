#include "runtime/rpc/transport.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kSliceMs = 50;

std::string ErrorText(int error) { return std::strerror(error); }

class SocketTransport final : public Transport {
 public:
  explicit SocketTransport(FileHandle socket) : socket_(std::move(socket)) {
    // One call to the system for a message that is there soon, instead of two.
    const timeval slice{0, kSliceMs * 1000};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice));
    // A message is sent whole, and somebody waits for it. Fails for a pair of this process.
    const int on = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }

  absl::StatusOr<size_t> Receive(char* out, size_t size) override {
    const ssize_t got = recv(socket_.get(), out, size, 0);
    if (got > 0) return static_cast<size_t>(got);
    if (got == 0) return LinkLost("the other side closed the connection");
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return size_t{0};
    return LinkLost(ErrorText(errno));
  }

  absl::StatusOr<size_t> Send(std::span<const iovec> pieces) override {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data());
    message.msg_iovlen = pieces.size();
    const ssize_t sent = sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return size_t{0};
    return LinkLost(ErrorText(errno));
  }

  void WaitToSend(bool or_received) override {
    pollfd one{socket_.get(), static_cast<short>(POLLOUT | (or_received ? POLLIN : 0)), 0};
    poll(&one, 1, kSliceMs);
  }

  bool Receivable() override {
    pollfd one{socket_.get(), POLLIN, 0};
    return poll(&one, 1, 0) > 0;
  }

  void Shutdown() override { shutdown(socket_.get(), SHUT_RDWR); }

 private:
  FileHandle socket_;
};

absl::Status Unreachable(const std::string& host, int port, std::string_view why) {
  return MakeStatus(absl::StatusCode::kUnavailable, "rpc-unreachable",
                    {"no connection to ", host, ":", std::to_string(port), ": ", why,
                     "\nhelp: is the server running, and does it listen at this address? By "
                     "default it listens on 127.0.0.1 only"});
}

// 0 or errno.
int ConnectWithin(int socket, const addrinfo& address,
                  std::chrono::steady_clock::time_point deadline) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ETIMEDOUT;
    pollfd one{socket, POLLOUT, 0};
    const int ready = poll(&one, 1, static_cast<int>(std::min<int64_t>(left.count(), kSliceMs)));
    if (ready <= 0) continue;
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
  }
}

}  // namespace

absl::Status LinkLost(std::string_view why) {
  return MakeStatus(absl::StatusCode::kUnavailable, "link-lost", why);
}

std::unique_ptr<Transport> NewSocketTransport(FileHandle socket) {
  return std::make_unique<SocketTransport>(std::move(socket));
}

absl::StatusOr<std::pair<FileHandle, FileHandle>> NewSocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return LinkLost(ErrorText(errno));
  return std::pair{FileHandle(ends[0]), FileHandle(ends[1])};
}

absl::StatusOr<FileHandle> ConnectTcp(const std::string& host, int port, double timeout_seconds) {
  if (port < 1 || port > 65535)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-unreachable",
                      {"port ", std::to_string(port), " is not from 1 to 65535"});
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  int problem = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (problem != 0) {
    // Without a network there is no configured address but loopback's.
    hints.ai_flags = AI_NUMERICSERV;
    problem = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  }
  if (problem != 0) return Unreachable(host, port, gai_strerror(problem));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, freeaddrinfo);
  const auto deadline =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(static_cast<int64_t>(std::clamp(timeout_seconds, 0.0, 1e6) * 1e3));
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    FileHandle one(socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!one.is_open()) {
      error = errno;
      continue;
    }
    error = ConnectWithin(one.get(), *at, deadline);
    if (error != 0) continue;
    fcntl(one.get(), F_SETFL, 0);
    return one;
  }
  return Unreachable(host, port, ErrorText(error));
}

}  // namespace lathe::runtime::rpc
