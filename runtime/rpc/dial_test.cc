#include "runtime/rpc/dial.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/cancel.h"
#include "runtime/rpc/socket_testing.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST(Dial, Connects) {
  const LoopbackListener listener(8);
  const absl::StatusOr<FileHandle> made = ConnectTcp("localhost", listener.port, 5);
  EXPECT_TRUE(made.ok()) << made.status();
}

TEST(Dial, NobodyListens) {
  int port = 0;
  {
    port = LoopbackListener(8).port;
  }
  const absl::Status refused = ConnectTcp("127.0.0.1", port, 5).status();
  EXPECT_EQ(StatusName(refused), "rpc-unreachable");
  EXPECT_NE(refused.message().find("127.0.0.1: Connection refused"), std::string::npos) << refused;
  EXPECT_EQ(StatusName(ConnectTcp("127.0.0.1", 0, 5).status()), "rpc-unreachable");
}

// Where no name server answers, that takes longer than this.
TEST(Dial, NoSuchName) {
  const std::string name(StatusName(ConnectTcp("no.such.host.invalid", 9090, 2).status()));
  EXPECT_TRUE(name == "rpc-unreachable" || name == "rpc-timeout") << name;
}

// Of a socket that nobody accepts from, the system takes a few connections and drops the rest.
struct Full {
  Full() {
    for (int i = 0; i < 16 && refused < 2; ++i) {
      absl::StatusOr<FileHandle> one = ConnectTcp("127.0.0.1", listener.port, 1);
      refused = one.ok() ? 0 : refused + 1;
      if (one.ok()) taken.push_back(*std::move(one));
    }
    EXPECT_EQ(refused, 2);
  }
  LoopbackListener listener{0};
  std::vector<FileHandle> taken;
  int refused = 0;  // in a row
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
