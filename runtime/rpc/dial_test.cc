#include "runtime/rpc/dial.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/cancel.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Listener {
  explicit Listener(int backlog) : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
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
  int port = 0;
};

TEST(Dial, Connects) {
  const Listener listener(8);
  const absl::StatusOr<FileHandle> made = ConnectTcp("localhost", listener.port, 5);
  EXPECT_TRUE(made.ok()) << made.status();
}

TEST(Dial, NobodyListens) {
  int port = 0;
  {
    port = Listener(8).port;
  }
  const absl::Status refused = ConnectTcp("127.0.0.1", port, 5).status();
  EXPECT_EQ(StatusName(refused), "rpc-unreachable");
  EXPECT_NE(refused.message().find("127.0.0.1: Connection refused"), std::string::npos) << refused;
  EXPECT_EQ(StatusName(ConnectTcp("127.0.0.1", 0, 5).status()), "rpc-unreachable");
  EXPECT_EQ(StatusName(ConnectTcp("no.such.host.invalid", port, 5).status()), "rpc-unreachable");
}

// Of a socket that nobody accepts from, the system takes a few connections and drops the rest.
struct Full {
  Full() {
    for (int i = 0; i < 16 && !full; ++i) {
      absl::StatusOr<FileHandle> one = ConnectTcp("127.0.0.1", listener.port, 0.3);
      full = !one.ok();
      if (one.ok()) taken.push_back(*std::move(one));
    }
    EXPECT_TRUE(full);
  }
  Listener listener{0};
  std::vector<FileHandle> taken;
  bool full = false;
};

TEST(Dial, NobodyAnswers) {
  const Full there;
  const auto begin = Clock::now();
  EXPECT_EQ(StatusName(ConnectTcp("127.0.0.1", there.listener.port, 0.3).status()), "rpc-timeout");
  EXPECT_GE(Clock::now() - begin, milliseconds(290));
  EXPECT_LT(Clock::now() - begin, milliseconds(5000));
}

TEST(Dial, IsInterrupted) {
  const Full there;
  Cancellation stop;
  stop.SetDeadline(Clock::now() + milliseconds(100));
  const CancelScope scope(stop);
  const auto begin = Clock::now();
  EXPECT_THROW(static_cast<void>(ConnectTcp("127.0.0.1", there.listener.port, 60)), Interrupted);
  EXPECT_LT(Clock::now() - begin, milliseconds(20000));
}

}  // namespace
}  // namespace lathe::runtime::rpc
