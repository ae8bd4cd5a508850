#include "runtime/rpc/relay.h"

#include <gtest/gtest.h>
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
