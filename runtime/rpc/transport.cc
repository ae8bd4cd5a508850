#include "runtime/rpc/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
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

}  // namespace lathe::runtime::rpc
