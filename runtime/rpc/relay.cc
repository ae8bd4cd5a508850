#include "runtime/rpc/relay.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/rpc/socket_loop.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

constexpr int kRounds = 16;  // of one direction, before others have their turn
constexpr double kEndSeconds = 10;
constexpr int kTickMs = 500;
constexpr double kLookSeconds = 1;

// A pipe begins with what the system gives. One that was filled a few times in a row is enlarged:
// the system allows 64 MiB of pipes per user before it makes new ones small, so only some are.
constexpr size_t kPipeBytes = size_t{64} << 10;
constexpr size_t kLargePipeBytes = size_t{1} << 20;
constexpr int kMostLargePipes = 24;
constexpr int kFilledToEnlarge = 4;

void Prepare(int socket) {
  fcntl(socket, F_SETFL, O_NONBLOCK);
  // For a connection that is quiet; the rest is IsLost's.
  const int on = 1, idle = 10, interval = 5, count = 4;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

bool PeerIsLost(int socket, double lost_seconds) {
  tcp_info state{};
  socklen_t size = sizeof(state);
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &state, &size) == 0 &&
         IsLost(state, lost_seconds);
}

}  // namespace

bool IsLost(const tcp_info& state, double lost_seconds) {
  // Data are a sign of life, too, that not every system counts as an answer.
  const double silent = std::min(state.tcpi_last_ack_recv, state.tcpi_last_data_recv) / 1e3;
  if (silent <= lost_seconds) return false;
  // While the peer's window is closed, the system asks it at intervals that double up to two
  // minutes, and counts what stays unanswered.
  if (state.tcpi_probes >= 3) return true;
  // Bytes in the network are sent again at such intervals, too: each is answered by a peer that
  // lives, even if it has no room for them. `rto` is the time to the next one: a silence of one and
  // a half of it is one lost answer, a silence of twice that time does not exist.
  return state.tcpi_unacked > 0 && state.tcpi_retransmits >= 2 && silent > 1.75e-6 * state.tcpi_rto;
}

// One way: from a socket through a pipe to the other socket.
class Relay::Direction {
 public:
  Direction(int from, int to, Relay& relay) : from_(from), to_(to), relay_(relay) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
      problem_ = std::string("no pipe for it: ") + std::strerror(errno);
      return;
    }
    in_ = FileHandle(ends[1]);
    out_ = FileHandle(ends[0]);
  }
  ~Direction() {
    if (size_ == kLargePipeBytes) --relay_.large_pipes_;
  }
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;

  const std::string& problem() const { return problem_; }
  bool ended() const { return ended_; }
  bool wants_input() const { return !ended_ && held_ == 0; }
  bool wants_output() const { return held_ > 0; }

  // False if one of the sockets is broken.
  bool Move() {
    for (int round = 0; round < kRounds; ++round) {
      bool all = false;  // that there was, probably
      if (held_ == 0) {
        if (ended_) return true;
        const ssize_t got =
            splice(from_, nullptr, in_.get(), nullptr, size_, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) {
          ended_ = true;
          shutdown(to_, SHUT_WR);
          return true;
        }
        held_ = static_cast<size_t>(got);
        all = held_ < kPipeBytes / 4;
        CountFilled();
      }
      const ssize_t sent =
          splice(out_.get(), nullptr, to_, nullptr, held_, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (sent <= 0) return sent < 0 && (errno == EAGAIN || errno == EINTR);
      held_ -= static_cast<size_t>(sent);
      relay_.bytes_ += static_cast<uint64_t>(sent);
      if (all) return true;
    }
    return true;
  }

 private:
  void CountFilled() {
    filled_ = held_ >= kPipeBytes / 2 ? filled_ + 1 : 0;
    if (filled_ != kFilledToEnlarge || size_ == kLargePipeBytes) return;
    if (++relay_.large_pipes_ <= kMostLargePipes &&
        fcntl(in_.get(), F_SETPIPE_SZ, kLargePipeBytes) >= 0) {
      size_ = kLargePipeBytes;
    } else {
      --relay_.large_pipes_;
    }
  }

  int from_, to_;
  Relay& relay_;
  FileHandle in_, out_;
  std::string problem_;
  size_t size_ = kPipeBytes;  // of the pipe
  size_t held_ = 0;           // bytes in it
  int filled_ = 0;            // how often in a row
  bool ended_ = false;
};

class Relay::Pair {
 public:
  Pair(uint64_t number, FileHandle one, FileHandle two, Relay& relay)
      : number_(number),
        one_(std::move(one)),
        two_(std::move(two)),
        there_(one_.get(), two_.get(), relay),
        back_(two_.get(), one_.get(), relay),
        lost_seconds_(relay.lost_seconds_) {
    Prepare(one_.get());
    Prepare(two_.get());
  }
  uint64_t number() const { return number_; }
  // Why this side ends it; empty if it does not.
  const std::string& problem() const { return problem_; }
  // A socket that nothing is wanted of is left out: its end would wake the thread all the time.
  void Poll(std::vector<pollfd>& polled) const {
    const auto add = [&](int socket, const Direction& from, const Direction& to) {
      const int events =
          (from.wants_input() ? POLLIN | POLLPRI : 0) | (to.wants_output() ? POLLOUT : 0);
      polled.push_back({events == 0 ? -1 : socket, static_cast<short>(events), 0});
    };
    add(one_.get(), there_, back_);
    add(two_.get(), back_, there_);
  }
  // `one`, `two`: what happened to the sockets. False if the pair has ended.
  bool Move(int one, int two, double now) {
    for (const Direction* const way : {&there_, &back_}) {
      if (problem_.empty()) problem_ = way->problem();
    }
    // The system gives no byte before the urgent one twice, and would say that there are some.
    if (problem_.empty() && ((one | two) & POLLPRI) != 0) problem_ = "urgent data arrived";
    if (!problem_.empty()) return false;
    const auto concerns = [](const Direction& way, int from, int to) {
      return way.wants_output() ? to != 0 : from != 0;
    };
    if (concerns(there_, one, two) && !there_.Move()) return false;
    if (concerns(back_, two, one) && !back_.Move()) return false;
    return Lives(now);
  }
  bool Lives(double now) {
    if (there_.ended() && back_.ended()) return false;
    if ((there_.ended() || back_.ended()) && ended_at_ == 0) ended_at_ = now;
    if (ended_at_ != 0 && now - ended_at_ >= kEndSeconds) return false;
    if (now - looked_ < kLookSeconds) return true;
    looked_ = now;
    if (PeerIsLost(one_.get(), lost_seconds_) || PeerIsLost(two_.get(), lost_seconds_))
      problem_ = "one side does not answer any more";
    return problem_.empty();
  }

 private:
  uint64_t number_;
  FileHandle one_, two_;
  Direction there_, back_;
  std::string problem_;
  double lost_seconds_;
  double looked_ = 0;    // when, whether one is lost
  double ended_at_ = 0;  // when one side ended; 0: none has
};

Relay::Relay(Ended ended, FileHandle wake, double lost_seconds)
    : ended_(std::move(ended)), wake_(std::move(wake)), lost_seconds_(lost_seconds) {}

Relay::~Relay() {
  {
    std::lock_guard lock(mutex_);
    stops_ = true;
  }
  eventfd_write(wake_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

absl::Status Relay::Start() {
  LATHE_ASSIGN_OR_RETURN(thread_, StartThread("the proxy's connections", [this] { Run(); }));
  return absl::OkStatus();
}

void Relay::Add(uint64_t number, FileHandle one, FileHandle two, std::string_view first) {
  // A few bytes, which a connection takes at once on which nothing has been sent. If it does not,
  // it is broken, and the pair ends.
  if (!SendNow(two.get(), first)) shutdown(two.get(), SHUT_RDWR);
  bytes_ += first.size();
  std::lock_guard lock(mutex_);
  added_.push_back(std::make_unique<Pair>(number, std::move(one), std::move(two), *this));
  eventfd_write(wake_.get(), 1);
}

void Relay::Run() {
  // splice() has no MSG_NOSIGNAL: a broken connection is an error here, too.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<pollfd> polled;
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (stops_) return;
      for (auto& pair : std::exchange(added_, {})) pairs.push_back(std::move(pair));
    }
    polled.resize(1 + 2 * pairs.size(), {-1, 0, POLLIN});  // new ones may have bytes already
    const double now = MonotonicSeconds();
    for (size_t i = 0, kept = 0, count = pairs.size(); i < count; ++i) {
      const int one = polled[1 + 2 * i].revents, two = polled[2 + 2 * i].revents;
      if ((one | two) != 0 ? pairs[i]->Move(one, two, now) : pairs[i]->Lives(now)) {
        std::swap(pairs[kept++], pairs[i]);
      } else {
        const uint64_t number = pairs[i]->number();
        const std::string problem = pairs[i]->problem();
        pairs[i].reset();  // its sockets are closed before anybody hears of it
        ended_(number, problem);
      }
      if (i + 1 == count) pairs.resize(kept);
    }
    polled.assign(1, {wake_.get(), POLLIN, 0});
    for (const auto& pair : pairs) pair->Poll(polled);
    poll(polled.data(), polled.size(), kTickMs);
    eventfd_t ignored = 0;
    if (polled[0].revents != 0) eventfd_read(wake_.get(), &ignored);
  }
}

}  // namespace lathe::runtime::rpc
