#include "runtime/rpc/relay.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/file.h"
#include "runtime/rpc/socket_testing.h"

namespace lathe::runtime::rpc {
namespace {

struct Relayed : testing::Test {
  void SetUp() override { ASSERT_TRUE(relay.Start().ok()); }
  // A pair by its number: the two ends that use it.
  std::pair<FileHandle, FileHandle> Add(uint64_t number, std::string_view first = {}) {
    auto [client, one] = TcpPair();
    auto [device, two] = TcpPair();
    relay.Add(number, std::move(one), std::move(two), first);
    return {std::move(client), std::move(device)};
  }
  // Why a pair has ended; waits for it.
  std::string EndOf(uint64_t number) {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard lock(mutex);
        if (const auto at = ended.find(number); at != ended.end()) return at->second;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "it has not ended";
  }

  std::mutex mutex;
  std::map<uint64_t, std::string> ended;
  Relay relay{[this](uint64_t pair, std::string_view problem) {
                const std::lock_guard lock(mutex);
                ended.emplace(pair, problem);
              },
              FileHandle(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))};
};

std::string ReadAll(int socket) {
  std::string all;
  char part[4096];
  for (;;) {
    const ssize_t got = Uninterrupted([&] { return recv(socket, part, sizeof(part), 0); });
    if (got <= 0) return all;
    all.append(part, static_cast<size_t>(got));
  }
}

// Enough for a pipe to be enlarged.
TEST_F(Relayed, EveryByteBothWays) {
  auto [client, device] = Add(1, "first");
  std::string there, back;
  for (int i = 0; i < 1'500'000; ++i) {
    there += std::to_string(i);
    back += std::to_string(i * 7);
  }
  const auto say = [](int socket, const std::string& text) {
    EXPECT_TRUE(WriteAll(socket, text).ok());
    shutdown(socket, SHUT_WR);
  };
  auto said = std::async(std::launch::async, say, client.get(), there);
  auto answered = std::async(std::launch::async, say, device.get(), back);
  auto heard = std::async(std::launch::async, ReadAll, client.get());
  EXPECT_TRUE(ReadAll(device.get()) == "first" + there);
  EXPECT_TRUE(heard.get() == back);
  EXPECT_EQ(EndOf(1), "");
  EXPECT_EQ(relay.bytes(), 5 + there.size() + back.size());
}

// A worker that computes for long is not lost, though it takes no bytes. The system asks it again
// and again, so these two seconds stand for longer ones.
TEST_F(Relayed, ASideThatDoesNotReadIsWaitedFor) {
  std::promise<std::string> why;
  Relay quick([&](uint64_t, std::string_view problem) { why.set_value(std::string(problem)); },
              FileHandle(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), /*lost_seconds=*/0.5);
  ASSERT_TRUE(quick.Start().ok());
  auto [client, one] = TcpPair();
  auto [device, two] = TcpPair();
  const std::string much(size_t{32} << 20, 'x');
  quick.Add(1, std::move(one), std::move(two), {});
  auto said = std::async(std::launch::async, [&, socket = client.get()] {
    EXPECT_TRUE(WriteAll(socket, much).ok());
    shutdown(socket, SHUT_WR);
  });
  std::future<std::string> ended = why.get_future();
  EXPECT_EQ(ended.wait_for(std::chrono::seconds(2)), std::future_status::timeout);
  EXPECT_EQ(ReadAll(device.get()).size(), much.size());
  shutdown(device.get(), SHUT_WR);
  EXPECT_EQ(ended.get(), "");
}

TEST(IsLost, TellsTheLostFromTheBusy) {
  struct Case {
    const char* what;
    double silent, unacked, probes, rto;
    bool lost;
    double since_data = 1e6;
  };
  for (const Case& one : {
           Case{"quiet: keepalive asks", 1000, 0, 0, 0.2, false},
           {"bytes under way", 1, 10, 0, 0.2, false},
           {"sent again and again", 29, 10, 0, 12.8, false},
           {"never answered", 45, 10, 0, 25.6, true},
           {"one answer was lost", 39, 10, 0, 25.6, false},
           {"a request after a long download", 35, 1, 0, 0.2, false, 1},
           {"answered at intervals that have doubled", 50, 10, 0, 51.2, false},
           {"a closed window, asked every two minutes", 119, 0, 1, 0.2, false},
           {"a closed window, nothing is answered", 31, 0, 7, 0.2, true},
       }) {
    tcp_info state{};
    state.tcpi_last_ack_recv = static_cast<uint32_t>(one.silent * 1000);
    state.tcpi_last_data_recv = static_cast<uint32_t>(one.since_data * 1000);
    state.tcpi_retransmits = 7;
    state.tcpi_unacked = static_cast<uint32_t>(one.unacked);
    state.tcpi_probes = static_cast<uint8_t>(one.probes);
    state.tcpi_rto = static_cast<uint32_t>(one.rto * 1e6);
    EXPECT_EQ(IsLost(state, 30), one.lost) << one.what;
  }
}

TEST_F(Relayed, UrgentDataEndsThePair) {
  auto [client, device] = Add(1);
  auto [other_client, other_device] = Add(2);
  ASSERT_TRUE(WriteAll(client.get(), std::string("a")).ok());
  ASSERT_EQ(Uninterrupted([&] { return send(client.get(), "b", 1, MSG_OOB); }), 1);
  EXPECT_EQ(EndOf(1), "urgent data arrived");
  // The others go on.
  ASSERT_TRUE(WriteAll(other_client.get(), std::string("hello")).ok());
  shutdown(other_client.get(), SHUT_WR);
  EXPECT_EQ(ReadAll(other_device.get()), "hello");
}

TEST_F(Relayed, AClientThatIsGoneEndsThePair) {
  auto [client, device] = Add(1);
  const linger at_once{1, 0};  // a reset instead of an end
  setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  client.Close();
  EXPECT_EQ(EndOf(1), "");
  EXPECT_EQ(ReadAll(device.get()), "");
}

}  // namespace
}  // namespace lathe::runtime::rpc
