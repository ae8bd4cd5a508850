#include "runtime/rpc/peer_user.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace lathe::runtime::rpc {
namespace {

// As /proc/net/tcp and tcp6 write an address: words of memory as hexadecimal numbers.
std::string InTable(const sockaddr_storage& address) {
  uint32_t words[4];
  const bool four = address.ss_family == AF_INET;
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&address);
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&address);
  std::memcpy(words, four ? static_cast<const void*>(&v4->sin_addr) : &v6->sin6_addr,
              four ? 4 : 16);
  std::string text;
  char part[16];
  for (int i = 0; i < (four ? 1 : 4); ++i) {
    std::snprintf(part, sizeof(part), "%08X", words[i]);
    text += part;
  }
  std::snprintf(part, sizeof(part), ":%04X", ntohs(four ? v4->sin_port : v6->sin6_port));
  return text + part;
}

bool IsLoopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in*>(&address)->sin_addr.s_addr) >> 24 == 127;
  return address.ss_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr);
}

// The user of the socket that has these two ends; -1 if the table has none.
int64_t UserOf(const sockaddr_storage& near, const sockaddr_storage& far) {
  std::ifstream table(near.ss_family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6");
  const std::string local = InTable(near), remote = InTable(far);
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, a, b, state, queues, timer, retries, timeout;
    int64_t user = -1, inode = 0;
    // Older kernels list a socket that no process has any more (inode 0) as root's, whoever had it.
    if (words >> number >> a >> b >> state >> queues >> timer >> retries >> user >> timeout >>
            inode &&
        a == local && b == remote)
      return inode == 0 ? -1 : user;
  }
  return -1;
}

}  // namespace

Peer PeerOf(int socket, bool ask_user) {
  sockaddr_storage peer{}, own{};
  socklen_t peer_size = sizeof(peer), own_size = sizeof(own);
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0)
    return {"somebody who has left", false};
  char text[INET6_ADDRSTRLEN] = "";
  const bool four = peer.ss_family == AF_INET;
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&peer);
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&peer);
  inet_ntop(peer.ss_family, four ? static_cast<const void*>(&v4->sin_addr) : &v6->sin6_addr, text,
            sizeof(text));
  Peer found;
  found.address =
      std::string(text) + ":" + std::to_string(ntohs(four ? v4->sin_port : v6->sin6_port));
  found.same_user =
      ask_user && IsLoopback(peer) && UserOf(peer, own) == static_cast<int64_t>(geteuid());
  return found;
}

}  // namespace lathe::runtime::rpc
