// Servers, clients and workers when the system refuses threads.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/janitor.h"
#include "runtime/rpc/machine.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_server.h"
#include "runtime/rpc/worker.h"
#include "runtime/rpc/worker_thread.h"
#include "runtime/status.h"
#include "runtime/test_threads.h"

namespace lathe::runtime::rpc {
namespace {

using testing_threads::left;

constexpr int kPlenty = 1 << 30;
// This program as a worker, which then has no threads for its supervisor.
constexpr char kWorkerWithoutThreads[] = "--worker-without-threads";

class ThreadLimits : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Initialize();
    RegisterGlobal("test.seven", Function::From([] { return int64_t{7}; }, "test.seven"),
                   Override::kReplace, Exported::kYes)
        .IgnoreError();
  }
  void TearDown() override { left = kPlenty; }
};

ServerOptions OnThreads() {
  ServerOptions options;
  options.supervisor.machine = ThisMachine();
  options.start_worker = WorkerThread::Start;
  return options;
}

absl::StatusOr<Ref<RemoteSession>> Open(const Server& server) {
  ConnectOptions options;
  options.port = server.port();
  return Connect(std::move(options));
}

int64_t Seven(RemoteSession& session) {
  return (*session.GetFunction("test.seven"))().As<int64_t>();
}

TEST_F(ThreadLimits, ServersSayWhyTheyDoNotStart) {
  const auto expect_refusal = [](const absl::Status& status, std::string_view what) {
    EXPECT_EQ(StatusName(status), "thread-refused") << status;
    EXPECT_NE(status.message().find(what), std::string_view::npos) << status;
  };
  TrackerOptions tracker;
  tracker.door.machine = ThisMachine();
  ProxyOptions proxy;
  proxy.door.machine = ThisMachine();
  left = 0;
  expect_refusal(Server::Start(OnThreads()).status(), "the server");
  expect_refusal(TrackerServer::Start(tracker).status(), "the tracker");
  expect_refusal(ProxyServer::Start(proxy).status(), "the proxy's connections");
  left = 1;
  expect_refusal(ProxyServer::Start(proxy).status(), "the proxy\n");
  left = kPlenty;
  EXPECT_TRUE(Server::Start(OnThreads()).ok());
  EXPECT_TRUE(TrackerServer::Start(tracker).ok());
  EXPECT_TRUE(ProxyServer::Start(proxy).ok());
}

// A session needs four threads: the client's for either connection and for what keeps it alive, and
// the server's that serves it.
TEST_F(ThreadLimits, AClientIsRefusedAndTheServerGoesOn) {
  const std::unique_ptr<Server> server = *Server::Start(OnThreads());
  // The second of these begins when the janitor, which has a thread too, is done with the first.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Seven(**Open(*server)), 7);
  for (const auto& [threads, name, text] :
       {std::tuple(0, "rpc-unreachable", "a thread"), std::tuple(1, "rpc-unreachable", "a thread"),
        std::tuple(2, "thread-refused", "the connection of a session"),
        std::tuple(3, "rpc-worker", "a session")}) {
    left = threads;
    const absl::Status refused = Open(*server).status();
    left = kPlenty;
    EXPECT_EQ(StatusName(refused), name) << threads << " threads: " << refused;
    EXPECT_NE(refused.message().find(text), std::string_view::npos) << refused;
    const absl::StatusOr<Ref<RemoteSession>> session = Open(*server);
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ(Seven(**session), 7);
  }
}

TEST_F(ThreadLimits, AWorkerSaysWhyItEnds) {
  ServerOptions options;
  options.supervisor.machine = ThisMachine();
  options.worker = {"/proc/self/exe", kWorkerWithoutThreads};
  const std::unique_ptr<Server> server = *Server::Start(std::move(options));
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<Ref<RemoteSession>> session = Open(*server);
    const absl::Status lost =
        session.ok() ? (*session)->GetFunction("test.seven").status() : session.status();
    EXPECT_EQ(StatusName(lost), "session-crashed") << lost;
    EXPECT_NE(lost.message().find("[thread-refused]"), std::string_view::npos) << lost;
  }
}

TEST_F(ThreadLimits, TheJanitorsWorkIsDoneByItsCaller) {
  Janitor janitor;
  std::thread::id where;
  left = 0;
  janitor.Do([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
  left = kPlenty;
  std::promise<std::thread::id> told;
  janitor.Do([&] { told.set_value(std::this_thread::get_id()); });
  EXPECT_NE(told.get_future().get(), std::this_thread::get_id());
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  if (argc == 2 && std::string_view(argv[1]) == rpc::kWorkerWithoutThreads) {
    rpc::LimitWorker();
    Initialize();
    testing_threads::left = 0;
    return rpc::RunWorker(rpc::kWorkerDescriptor).ok() ? 0 : 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
