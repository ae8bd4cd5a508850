#include "runtime/rpc/dial.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/poll.h"
#include "base/thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kSliceMs = 50;

absl::Status Unreachable(const std::string& host, int port, std::string_view why) {
  return MakeStatus(absl::StatusCode::kUnavailable, "rpc-unreachable",
                    {"no connection to ", host, ":", std::to_string(port), ": ", why,
                     "\nhelp: is the server running, and does it listen at this address? By "
                     "default it listens on 127.0.0.1 only"});
}

absl::Status Late(const std::string& host, int port, std::string_view why, std::string_view help) {
  return MakeStatus(
      absl::StatusCode::kDeadlineExceeded, "rpc-timeout",
      {"no connection to ", host, ":", std::to_string(port), " in time: ", why, "\nhelp: ", help});
}

int64_t MsUntil(Clock::time_point deadline) {
  return std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
}

// 0 or errno. Looks at the socket at least once, however late it is.
int ConnectWithin(int socket, const addrinfo& address, Clock::time_point deadline,
                  const std::atomic<bool>& abandoned) {
  if (connect(socket, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  for (;;) {
    const int64_t left = std::max<int64_t>(MsUntil(deadline), 0);
    pollfd one{socket, POLLOUT, 0};
    if (poll(&one, 1, static_cast<int>(std::min<int64_t>(left, kSliceMs))) <= 0) {
      if (left == 0 || abandoned) return ETIMEDOUT;
      continue;
    }
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
  }
}

std::string TextOf(const addrinfo& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  const bool four = address.ai_family == AF_INET;
  const void* const bytes =
      four ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(address.ai_addr)->sin_addr)
           : &reinterpret_cast<sockaddr_in6*>(address.ai_addr)->sin6_addr;
  inet_ntop(address.ai_family, bytes, text, sizeof(text));
  return text;
}

absl::StatusOr<FileHandle> Connected(const std::string& host, int port, Clock::time_point end,
                                     const std::atomic<bool>& abandoned) {
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
  int64_t left = 0;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) ++left;
  std::string tried;
  bool late = false;
  for (const addrinfo* at = list; at != nullptr && !abandoned; at = at->ai_next, --left) {
    FileHandle one(socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto share = milliseconds(std::max<int64_t>(MsUntil(end), 0) / left);
    const int error =
        one.is_open() ? ConnectWithin(one.get(), *at, Clock::now() + share, abandoned) : errno;
    if (error == 0) {
      fcntl(one.get(), F_SETFL, 0);
      return one;
    }
    late = late || error == ETIMEDOUT;
    tried += (tried.empty() ? "" : "; ") + TextOf(*at) + ": " + std::strerror(error);
  }
  // One address that may only be slow is more of a reason than those that refused.
  return late ? Late(host, port, tried,
                     "is the machine on, and does a firewall drop what is sent there?")
              : Unreachable(host, port, tried);
}

}  // namespace

struct Dial::Attempt {
  std::string host;
  int port = 0;
  Clock::time_point end;
  std::atomic<bool> abandoned = false;  // nobody waits any more
  // Made beforehand, for a thread that has no memory to make it.
  absl::Status no_memory = MakeStatus(absl::StatusCode::kResourceExhausted, "out-of-memory",
                                      "this process has no memory for making a connection");
  std::mutex mutex;  // what follows
  std::condition_variable changed;
  std::optional<absl::StatusOr<FileHandle>> result;

  void Finish(absl::StatusOr<FileHandle> found) {
    const std::lock_guard lock(mutex);
    if (!result) result.emplace(std::move(found));
    changed.notify_all();
  }
};

Dial::Dial(const std::string& host, int port, double timeout_seconds)
    : attempt_(std::make_shared<Attempt>()) {
  attempt_->host = host;
  attempt_->port = port;
  attempt_->end = Clock::now() +
                  milliseconds(static_cast<int64_t>(std::clamp(timeout_seconds, 0.0, 1e6) * 1e3));
  if (port < 1 || port > 65535) {
    attempt_->Finish(MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-unreachable",
                                {"port ", std::to_string(port), " is not from 1 to 65535"}));
    return;
  }
  try {
    Thread([attempt = attempt_] {
      try {
        attempt->Finish(Connected(attempt->host, attempt->port, attempt->end, attempt->abandoned));
      } catch (const std::bad_alloc&) {
        attempt->Finish(attempt->no_memory);
      }
    }).detach();
  } catch (const std::system_error& problem) {
    attempt_->Finish(Unreachable(host, port, std::string("a thread: ") + problem.what()));
  }
}

Dial::~Dial() { attempt_->abandoned = true; }

bool Dial::Done(int wait_ms) {
  // The thread keeps to the time itself, but for looking up the name.
  const auto give_up = attempt_->end + milliseconds(200);
  std::unique_lock lock(attempt_->mutex);
  attempt_->changed.wait_for(lock, milliseconds(std::clamp<int64_t>(MsUntil(give_up), 0, wait_ms)),
                             [this] { return attempt_->result.has_value(); });
  if (!attempt_->result && MsUntil(give_up) <= 0)
    attempt_->result.emplace(Late(attempt_->host, attempt_->port, "the name was not looked up yet",
                                  "does this machine's name server answer? A numeric address needs "
                                  "none"));
  return attempt_->result.has_value();
}

absl::StatusOr<FileHandle> Dial::Take() {
  const std::lock_guard lock(attempt_->mutex);
  return *std::move(attempt_->result);
}

absl::StatusOr<FileHandle> ConnectTcp(const std::string& host, int port, double timeout_seconds) {
  Dial dial(host, port, timeout_seconds);
  while (!dial.Done(kSliceMs)) PollNow();
  return dial.Take();
}

}  // namespace lathe::runtime::rpc
