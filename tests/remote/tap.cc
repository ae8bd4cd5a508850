#include "tests/remote/tap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace lathe::runtime::rpc {
namespace {

constexpr auto kAll = std::string::npos;

sockaddr_in AddressOf(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

void AtOnce(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

Tap::Tap(const std::string& address, int port, std::string far_host, int far_port)
    : far_host_(std::move(far_host)), far_port_(far_port) {
  listener_ = FileHandle(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in own = AddressOf(address, port);
  auto* const name = reinterpret_cast<sockaddr*>(&own);
  socklen_t size = sizeof(own);
  // Another program of the machine may have the port, for a moment.
  for (int tries = 1; bind(listener_.get(), name, size) != 0; ++tries) {
    if (tries == 100) throw std::string("a tap has no port: ") + std::strerror(errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (listen(listener_.get(), 64) != 0 || getsockname(listener_.get(), name, &size) != 0)
    throw std::string("a tap cannot listen: ") + std::strerror(errno);
  port_ = ntohs(own.sin_port);
  thread_ = std::thread([this] { Run(); });
}

Tap::~Tap() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  thread_.join();
}

size_t Tap::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

bool Tap::Empty() const {
  const std::lock_guard lock(mutex_);
  return std::none_of(lines_.begin(), lines_.end(), [](const Line& line) { return line.open; });
}

void Tap::HoldAfter(size_t line, bool to_server, size_t bytes) {
  const std::lock_guard lock(mutex_);
  held_line_ = line;
  held_to_server_ = to_server;
  held_after_ = bytes;
  for (size_t i = line; i < lines_.size(); ++i) HeldWay(lines_[i]).most = bytes;
}

void Tap::HoldNow(size_t line, bool to_server) {
  size_t passed = 0;
  {
    const std::lock_guard lock(mutex_);
    if (line < lines_.size()) passed = (to_server ? lines_[line].there : lines_[line].back).passed;
  }
  HoldAfter(line, to_server, passed);
}

bool Tap::Holds() const {
  const std::lock_guard lock(mutex_);
  for (size_t i = held_line_; held_after_ != kAll && i < lines_.size(); ++i) {
    const Direction& way = held_to_server_ ? lines_[i].there : lines_[i].back;
    // A connection on which nothing may pass is held when it is there.
    if (way.passed >= held_after_ && (held_after_ == 0 || !way.bytes.empty())) return true;
  }
  return false;
}

void Tap::Release() {
  const std::lock_guard lock(mutex_);
  for (Line& line : lines_) HeldWay(line).most = kAll;
  held_after_ = kAll;
}

void Tap::Reset(size_t first) {
  const std::lock_guard lock(mutex_);
  for (size_t i = first; i < lines_.size(); ++i) Break(lines_[i]);
}

void Tap::Pause(size_t first, std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  for (size_t i = first; i < lines_.size(); ++i) lines_[i].paused_until = Clock::now() + time;
}

void Tap::Dribble(size_t first, std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  for (size_t i = first; i < lines_.size(); ++i) lines_[i].dribbles_until = Clock::now() + time;
}

// Both sides see a reset.
void Tap::Break(Line& line) {
  const linger now{1, 0};
  for (FileHandle* const socket : {&line.near, &line.far}) {
    setsockopt(socket->get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    socket->Close();
  }
  line.open = false;
}

void Tap::Accept() {
  FileHandle near(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!near.is_open()) return;
  FileHandle far(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in address = AddressOf(far_host_, far_port_);
  const int begun =
      connect(far.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const bool refused = begun != 0 && errno != EINPROGRESS;
  AtOnce(near.get());
  AtOnce(far.get());
  Line& line = lines_.emplace_back();
  line.near = std::move(near);
  line.far = std::move(far);
  if (held_after_ != kAll && lines_.size() > held_line_) HeldWay(line).most = held_after_;
  if (refused) Break(line);
}

// False if a side is broken.
bool Tap::Move(const Line& line, Direction& way, int from, int to) {
  const auto now = Clock::now();
  if (now < line.paused_until) return true;
  if (way.bytes.empty() && !way.ended) {
    char bytes[65536];
    const ssize_t got = recv(from, bytes, sizeof(bytes), 0);
    if (got > 0) way.bytes.assign(bytes, static_cast<size_t>(got));
    if (got == 0) way.ended = true;
    if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENOTCONN) return false;
  }
  size_t count = std::min(way.bytes.size(), way.most - std::min(way.most, way.passed));
  if (now < line.dribbles_until) count = std::min<size_t>(count, 1);
  if (count > 0) {
    const ssize_t sent = send(to, way.bytes.data(), count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOTCONN) return false;
    if (sent > 0) way.passed += static_cast<size_t>(sent);
    if (sent > 0) way.bytes.erase(0, static_cast<size_t>(sent));
  }
  if (way.ended && way.bytes.empty() && !std::exchange(way.told, true)) shutdown(to, SHUT_WR);
  return true;
}

void Tap::Serve(Line& line) {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(line.far.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0 || !Move(line, line.there, line.near.get(), line.far.get()) ||
      !Move(line, line.back, line.far.get(), line.near.get()))
    return Break(line);
  if (!line.there.told || !line.back.told) return;
  line.near.Close();
  line.far.Close();
  line.open = false;
}

void Tap::Run() {
  std::vector<pollfd> polled;
  for (;;) {
    polled.assign(1, {listener_.get(), POLLIN, 0});
    int wait_ms = 10;
    {
      const std::lock_guard lock(mutex_);
      if (stops_) return;
      Accept();
      for (Line& line : lines_) {
        if (line.open) Serve(line);
        if (!line.open) continue;
        const auto now = Clock::now();
        if (now < line.dribbles_until) wait_ms = 1;
        // A direction whose bytes cannot be passed on now would wake this thread all the time.
        const bool slow = now < line.dribbles_until || now < line.paused_until;
        if (slow) continue;
        if (line.there.bytes.empty() && !line.there.ended)
          polled.push_back({line.near.get(), POLLIN, 0});
        if (line.back.bytes.empty() && !line.back.ended)
          polled.push_back({line.far.get(), POLLIN, 0});
        if (!line.there.bytes.empty() && line.there.passed < line.there.most)
          polled.push_back({line.far.get(), POLLOUT, 0});
        if (!line.back.bytes.empty() && line.back.passed < line.back.most)
          polled.push_back({line.near.get(), POLLOUT, 0});
      }
    }
    poll(polled.data(), polled.size(), wait_ms);
  }
}

}  // namespace lathe::runtime::rpc
