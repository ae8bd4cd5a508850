#include "runtime/rpc/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/thread.h"
#include "runtime/rpc/confine.h"
#include "runtime/rpc/machine.h"
#include "runtime/rpc/service.h"
#include "runtime/rpc/socket_loop.h"
#include "runtime/rpc/tls_transport.h"
#include "runtime/session/loopback_session.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

struct Message {
  char kind = 0;
  uint64_t request = 0;
  FileHandle socket;
  std::string key;
};

bool ReceiveKey(int supervisor, std::string* key) {
  key->resize(sizeof(Secret));
  for (size_t have = 0; have < key->size();) {
    const ssize_t more =
        Uninterrupted([&] { return recv(supervisor, key->data() + have, key->size() - have, 0); });
    if (more <= 0) return false;
    have += static_cast<size_t>(more);
  }
  return true;
}

// False at the end of the supervisor.
bool Receive(int supervisor, Message* message) {
  char bytes[kWorkerMessageBytes];
  char control[CMSG_SPACE(sizeof(int))];
  size_t got = 0;
  while (got < sizeof(bytes)) {
    iovec piece{bytes + got, sizeof(bytes) - got};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t more =
        Uninterrupted([&] { return recvmsg(supervisor, &header, MSG_CMSG_CLOEXEC); });
    if (more <= 0) return false;
    for (cmsghdr* at = CMSG_FIRSTHDR(&header); at != nullptr; at = CMSG_NXTHDR(&header, at)) {
      if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(at), sizeof(descriptor));
      message->socket = FileHandle(descriptor);
    }
    got += static_cast<size_t>(more);
  }
  message->kind = bytes[0];
  std::memcpy(&message->request, bytes + 1, sizeof(message->request));
  return message->kind != kPassProtected || ReceiveKey(supervisor, &message->key);
}

bool HasThreads() {
  size_t count = 0;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at("/proc/self/task", ignored), end; at != end;
       at.increment(ignored))
    ++count;
  return count > 1;
}

void ConfineIfAsked() {
  const char* const asked = std::getenv(kConfinedVariable);
  const char* const folder = std::getenv("TMPDIR");
  if (asked == nullptr || std::string_view(asked) != "1" || folder == nullptr) return;
  if (!CanConfine()) {
    std::fprintf(stderr, "this kernel has no Landlock: the worker is not confined\n");
  } else if (HasThreads()) {
    std::fprintf(stderr, "a worker must be confined before it has threads (LimitWorker)\n");
    _exit(1);
  } else if (!Confine(folder)) {
    std::perror("the worker cannot be confined to its folder");
    _exit(1);
  }
}

// Listens to the supervisor while the service runs on another thread.
class Listener {
 public:
  Listener(int supervisor, Service& service) : supervisor_(supervisor), service_(service) {}
  ~Listener() {
    done_ = true;
    shutdown(supervisor_, SHUT_RD);
    if (thread_.joinable()) thread_.join();
  }
  absl::Status Start() {
    LATHE_ASSIGN_OR_RETURN(thread_, StartThread("the worker's supervisor", [this] { Run(); }));
    return absl::OkStatus();
  }

 private:
  void Run() {
    Message message;
    while (Receive(supervisor_, &message)) {
      if (message.kind == kCancelRequest) Cancel(message.request);
    }
    // Without its supervisor nobody could end this process.
    if (!done_) _exit(1);
  }

  void Cancel(uint64_t request) {
    if (service_.Cancel(request)) AwaitEnd(request);
    char answer[kWorkerMessageBytes] = {kCancelDone};
    std::memcpy(answer + 1, &request, sizeof(request));
    // If it does not arrive, the supervisor ends this process: it cannot know better.
    SendNow(supervisor_, {answer, sizeof(answer)});
  }

  void AwaitEnd(uint64_t request) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(static_cast<int>(kCancelSeconds * 1000));
    while (service_.Running(request)) {
      if (std::chrono::steady_clock::now() >= deadline) {
        // Not by stdio, whose locks the request may hold.
        constexpr std::string_view kWhy =
            "the request was cancelled and did not end within a second\n";
        const ssize_t ignored = write(STDERR_FILENO, kWhy.data(), kWhy.size());
        static_cast<void>(ignored);
        raise(SIGKILL);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  int supervisor_;
  Service& service_;
  std::atomic<bool> done_{false};
  Thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> OpenDataConnection(FileHandle socket,
                                                              std::string_view key) {
  std::unique_ptr<Transport> plain = NewSocketTransport(std::move(socket));
  if (key.empty()) return plain;
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(static_cast<int>(kTlsSeconds * 1000));
  return NewTlsTransport(std::move(plain), TlsSide::kServer, SecretFrom(key), [&] {
    if (std::chrono::steady_clock::now() < end) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
                      "the client did not complete TLS within 10 seconds");
  });
}

void LimitWorker() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  ConfineIfAsked();
  // A broken connection is an error of a call, not a signal.
  signal(SIGPIPE, SIG_IGN);
  // Ctrl-C in the supervisor's terminal goes to the supervisor, which ends its workers.
  signal(SIGINT, SIG_IGN);
}

absl::Status RunWorker(int supervisor, SessionConstructor constructor) {
  LimitWorker();
  const FileHandle owned(supervisor);
  Message message;
  // A spare worker waits here for as long as nobody wants a session.
  if (!Receive(supervisor, &message)) return absl::OkStatus();
  if ((message.kind != kPassSocket && message.kind != kPassProtected) || !message.socket.is_open())
    return MakeStatus(absl::StatusCode::kInternal, "rpc-unexpected",
                      "the supervisor passed no connection");
  LATHE_ASSIGN_OR_RETURN(const Ref<LoopbackSession> session, LoopbackSession::Open());
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport,
                         OpenDataConnection(std::move(message.socket), message.key));
  Service service(session, std::move(transport), std::move(constructor));
  Listener listener(supervisor, service);
  if (absl::Status started = listener.Start(); !started.ok()) {
    // What a worker printed last is told to its client.
    std::fprintf(stderr, "%s\n", std::string(started.message()).c_str());
    return started;
  }
  service.Attached(message.request, ThisMachine());
  return service.Run();
}

}  // namespace lathe::runtime::rpc
