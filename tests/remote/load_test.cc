// Many clients at once: 200 connections that say nothing and 50 clients that call, against one
// server and through a tracker with several. Afterwards the programs have what they had before.
//
// As a test with few calls. By hand: `bazel run //tests/remote:load_test -- --calls=1000000`.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/init.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/status.h"
#include "tests/remote/program.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kIdle = 200, kClients = 50;
constexpr size_t kMoreKiB = 4096;  // memory that may be added after the warm-up

std::string server_program, worker_program, tracker_program;
int64_t calls = 20000;

int PortOf(Program& program) {
  const auto line = program.LineAfter("listening on 127.0.0.1:", milliseconds(20000));
  EXPECT_TRUE(line.has_value()) << program.output();
  return line ? std::atoi(line->c_str()) : 0;
}

// What a program holds, when nobody uses it.
struct Held {
  size_t kib = 0, descriptors = 0, children = 0;
};
Held HeldBy(const Program& program) {
  return {ResidentKiB(program.pid()), DescriptorsOf(program.pid()),
          ChildrenOf(program.pid()).size()};
}

// Calls of one client in one session; appends how long each took, in seconds.
absl::Status CallALot(const absl::StatusOr<Ref<RemoteSession>>& opened, int64_t count,
                      std::vector<double>* seconds) {
  LATHE_RETURN_IF_ERROR(opened.status());
  LATHE_ASSIGN_OR_RETURN(const Function add, (*opened)->GetFunction("test.add"));
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = steady_clock::now();
    LATHE_ASSIGN_OR_RETURN(const Value sum, add.TryCall(i, 1));
    seconds->push_back(std::chrono::duration<double>(steady_clock::now() - begin).count());
    if (sum.As<int64_t>() != i + 1) return absl::InternalError("a wrong sum");
  }
  (*opened)->Close();
  return absl::OkStatus();
}

// All clients at once, `each` calls in each session.
template <class Open>
std::vector<double> Storm(int clients, int64_t each, Open open) {
  std::mutex mutex;
  std::vector<double> all;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      std::vector<double> seconds;
      const absl::Status status = CallALot(open(), each, &seconds);
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(status.ok()) << status;
      all.insert(all.end(), seconds.begin(), seconds.end());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(all.begin(), all.end());
  return all;
}

void PrintTimes(const char* what, const std::vector<double>& sorted) {
  const auto at = [&](double part) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<size_t>(part * last)] * 1e6;
  };
  std::printf("%s: %zu calls, p50 %.0f us, p99 %.0f us, longest %.0f us\n", what, sorted.size(),
              at(0.5), at(0.99), at(1));
}

class Load : public testing::Test {
 protected:
  void SetUp() override {
    Initialize();
    std::filesystem::create_directories(folder);
  }
  std::unique_ptr<Program> StartServer(const std::vector<std::string>& more) {
    Program::Options options;
    options.words = {server_program, "--port", "0", "--worker", worker_program, "--quiet"};
    options.words.insert(options.words.end(), more.begin(), more.end());
    options.temporary = folder;
    return std::make_unique<Program>(std::move(options));
  }
  // Until a program has no more than before.
  void ExpectAsBefore(const std::string& what, const Program& program, const Held& before) {
    Held now;
    EXPECT_TRUE(Within(milliseconds(20000),
                       [&] {
                         now = HeldBy(program);
                         return now.descriptors <= before.descriptors &&
                                now.children <= before.children;
                       }))
        << what << ": " << now.descriptors << " descriptors (" << before.descriptors << " before), "
        << now.children << " children (" << before.children << ")";
    EXPECT_LE(now.kib, before.kib + kMoreKiB) << what;
    std::printf("%s: %zu KiB, %zu before\n", what.c_str(), now.kib, before.kib);
  }
  void ExpectNoFolders() {
    EXPECT_TRUE(Within(milliseconds(10000), [&] {
      // The spare workers' folders stay.
      size_t folders = 0;
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        folders += entry.is_directory() ? 1 : 0;
      return folders <= spare_folders;
    }));
  }

  const std::string folder = testing::TempDir() + "/load";
  size_t spare_folders = 1;
};

TEST_F(Load, OneServer) {
  const std::unique_ptr<Program> server = StartServer({"--max-sessions", std::to_string(kClients)});
  const int port = PortOf(*server);
  const auto open = [&] {
    ConnectOptions options;
    options.port = port;
    return Connect(std::move(options));
  };
  Storm(kClients, 10, open);  // warm-up
  EXPECT_TRUE(Within(milliseconds(20000), [&] { return HeldBy(*server).children <= 1; }));
  const Held before = HeldBy(*server);
  {
    std::vector<FileHandle> idle;
    for (int i = 0; i < kIdle; ++i) idle.push_back(*ConnectTcp("127.0.0.1", port, 10));
    PrintTimes("one server", Storm(kClients, calls / kClients, open));
  }
  ExpectAsBefore("server", *server, before);
  ExpectNoFolders();
}

TEST_F(Load, ManyServersOfATracker) {
  constexpr int kServers = 4, kRounds = 4;
  Program tracker({{tracker_program, "--port", "0", "--quiet"}});
  const int port = PortOf(tracker);
  std::vector<std::unique_ptr<Program>> servers;
  for (int i = 0; i < kServers; ++i) {
    servers.push_back(
        StartServer({"--key", "board", "--tracker", "127.0.0.1:" + std::to_string(port)}));
    ASSERT_GT(PortOf(*servers.back()), 0);
  }
  spare_folders = kServers;
  TrackerAddress address;
  address.port = port;
  const auto open = [&] {
    DeviceRequest request;
    request.key = "board";
    return RequestDevice(address, request);
  };
  Storm(kClients, 1, open);  // warm-up
  std::vector<Held> before;
  for (const auto& server : servers) {
    EXPECT_TRUE(Within(milliseconds(20000), [&] { return HeldBy(*server).children <= 1; }));
    before.push_back(HeldBy(*server));
  }
  const Held of_tracker = HeldBy(tracker);
  std::vector<double> all;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> some =
        Storm(kClients, std::max<int64_t>(calls / 10 / kClients / kRounds, 1), open);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  PrintTimes("200 sessions of a tracker", all);
  ExpectAsBefore("tracker", tracker, of_tracker);
  for (int i = 0; i < kServers; ++i)
    ExpectAsBefore("server " + std::to_string(i), *servers[static_cast<size_t>(i)],
                   before[static_cast<size_t>(i)]);
  ExpectNoFolders();
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  signal(SIGPIPE, SIG_IGN);
  namespace rpc = lathe::runtime::rpc;
  rpc::server_program = argv[1];
  rpc::worker_program = argv[2];
  rpc::tracker_program = argv[3];
  constexpr std::string_view kCalls = "--calls=";
  for (int i = 4; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(kCalls)) rpc::calls = std::atoll(argv[i] + kCalls.size());
  }
  return RUN_ALL_TESTS();
}
