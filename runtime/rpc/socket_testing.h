// For tests of what uses sockets: a port of this machine's loopback.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include "base/file.h"

namespace lathe::runtime::rpc {

struct LoopbackListener {
  explicit LoopbackListener(int backlog)
      : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket.get(), general, size), 0);
    EXPECT_EQ(listen(socket.get(), backlog), 0);
    EXPECT_EQ(getsockname(socket.get(), general, &size), 0);
    port = ntohs(address.sin_port);
  }
  FileHandle socket;
  sockaddr_in address{};
  int port = 0;
};

// Two ends of a TCP connection.
inline std::pair<FileHandle, FileHandle> TcpPair() {
  const LoopbackListener listener(1);
  FileHandle near(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(near.get(), reinterpret_cast<const sockaddr*>(&listener.address),
                    sizeof(listener.address)),
            0);
  return {std::move(near), FileHandle(Uninterrupted([&] {
            return accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC);
          }))};
}

}  // namespace lathe::runtime::rpc
