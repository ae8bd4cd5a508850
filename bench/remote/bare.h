// What both benchmarks of this folder share: bare sockets, and the figures.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/file.h"

namespace lathe::bench {

inline constexpr size_t kPing = 64;
inline constexpr size_t kBulk = size_t{64} << 20;

using Clock = std::chrono::steady_clock;

inline double Seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline double Median(std::vector<double> items) {
  std::sort(items.begin(), items.end());
  return items[items.size() / 2];
}

inline void Check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "remote: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

// Two ends of a TCP connection over the loopback interface.
inline std::pair<FileHandle, FileHandle> TcpPair() {
  FileHandle listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  Check(bind(listener.get(), name, size) == 0 && listen(listener.get(), 1) == 0 &&
            getsockname(listener.get(), name, &size) == 0,
        "listen");
  FileHandle near(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Check(connect(near.get(), name, size) == 0, "connect");
  FileHandle far(accept(listener.get(), nullptr, nullptr));
  Check(far.is_open(), "accept");
  const int on = 1;
  for (const int end : {near.get(), far.get()})
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return {std::move(near), std::move(far)};
}

inline void SendAll(int socket, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    Check(sent > 0, "send");
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

inline bool ReceiveAll(int socket, char* data, size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, 0);
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

// The bare peer: answers a ping with as many bytes, an 'i' by taking kBulk, an 'o' by sending them.
// What an 'x' is for, `other` does, with kBulk bytes.
inline void ServeBare(int socket, const std::function<void(std::vector<char>&)>& other = {}) {
  std::vector<char> bulk(kBulk, 'x');
  char ping[kPing];
  while (ReceiveAll(socket, ping, kPing)) {
    if (ping[0] == 'i') ReceiveAll(socket, bulk.data(), kBulk);
    if (ping[0] == 'o') SendAll(socket, bulk.data(), kBulk);
    if (ping[0] == 'x' && other) other(bulk);
    SendAll(socket, ping, kPing);
  }
}

inline void Report(const char* what, double ours, double bare, const char* unit, double ratio) {
  std::printf("%-44s %10.2f %10.2f %-8s %6.2f\n", what, ours, bare, unit, ratio);
}

// The same through a bare peer: a ping of this kind, and what ServeBare does for it.
inline void CallBare(int socket, char kind, std::vector<char>& bulk) {
  char ping[kPing] = {kind};
  SendAll(socket, ping, kPing);
  if (kind == 'i') SendAll(socket, bulk.data(), kBulk);
  if (kind == 'o') ReceiveAll(socket, bulk.data(), kBulk);
  ReceiveAll(socket, ping, kPing);
}

}  // namespace lathe::bench
