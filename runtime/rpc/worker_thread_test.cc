// A server whose sessions run on threads of its own process.
#include "runtime/rpc/worker_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cancel.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;

// What test.wait does until then: it does not look whether it is cancelled, unless told to.
std::atomic<bool> finish{false}, deaf{false};
std::atomic<int> waiting{0};

template <class F>
void Export(const char* name, F&& body) {
  RegisterGlobal(name, Function::From(std::forward<F>(body), name), Override::kReplace,
                 Exported::kYes)
      .IgnoreError();
}

class ThreadWorker : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Initialize();
    Export("test.add", [](int64_t a, int64_t b) { return a + b; });
    Export("test.pid", [] { return static_cast<int64_t>(getpid()); });
    Export("test.wait", [] {
      ++waiting;
      while (!finish && (deaf || CancelScope::Look(CancelScope::Current()) == 0))
        std::this_thread::sleep_for(milliseconds(2));
      --waiting;
    });
  }
  void SetUp() override { finish = deaf = false; }
};

std::unique_ptr<Server> Start(ServerOptions options = {}) {
  options.supervisor.machine = ThisMachine();
  options.start_worker = WorkerThread::Start;
  return *Server::Start(std::move(options));
}

absl::StatusOr<Ref<RemoteSession>> Open(int port, const std::string& key = {}) {
  ConnectOptions options;
  options.port = port;
  options.control.key = key;
  return Connect(std::move(options));
}

Value Call(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name))(args...);
}

TEST_F(ThreadWorker, SessionsComeAndGo) {
  const size_t before = Descriptors();
  {
    const std::unique_ptr<Server> server = Start();
    for (int64_t i = 0; i < 10; ++i) {
      const Ref<RemoteSession> session = *Open(server->port());
      EXPECT_EQ(Call(*session, "test.add", i, 1).As<int64_t>(), i + 1);
      EXPECT_EQ(Call(*session, "test.pid").As<int64_t>(), getpid());
      const Tensor there = *Tensor::Empty({1 << 16}, DataType::Float(32), session->device(kDLCPU));
      std::vector<float> data(1 << 16, static_cast<float>(i)), back(1 << 16);
      ASSERT_TRUE(there.CopyFromHost(data.data(), 4 << 16).ok());
      ASSERT_TRUE(there.CopyToHost(back.data(), 4 << 16).ok());
      EXPECT_EQ(back, data);
      // Files are of one session.
      EXPECT_TRUE(session->files().List()->empty());
      ASSERT_TRUE(session->files().Upload("a.txt", "text").ok());
      EXPECT_EQ(*session->files().Download("a.txt"), "text");
      // Whether the client says that it ends, or not.
      if (i % 2 == 0) session->Close();
    }
  }
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return Descriptors() == before; }));
}

TEST_F(ThreadWorker, Cancelling) {
  const std::unique_ptr<Server> server = Start();
  const Ref<RemoteSession> session = *Open(server->port());
  const Function wait = *session->GetFunction("test.wait");
  Cancellation cancellation;
  std::thread canceller([&] {
    EXPECT_TRUE(Within(milliseconds(10000), [] { return waiting == 1; }));
    cancellation.Cancel();
  });
  {
    const CancelScope scope(cancellation);
    static_cast<void>(wait.TryCall());
  }
  canceller.join();
  EXPECT_TRUE(Within(milliseconds(10000), [] { return waiting == 0; }));
  // The session goes on.
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
}

// A function that does not look keeps the device until it ends; its client is told so.
TEST_F(ThreadWorker, NothingEndsADeafFunction) {
  deaf = true;
  ServerOptions options;
  options.supervisor.session_timeout = 0.5;
  options.supervisor.kill_seconds = 0.2;
  const std::unique_ptr<Server> server = Start(std::move(options));
  const Ref<RemoteSession> session = *Open(server->port());
  const absl::Status lost = session->GetFunction("test.wait")->TryCall().status();
  EXPECT_EQ(StatusName(lost), "session-stuck") << lost;
  EXPECT_EQ(waiting, 1);
  std::atomic<bool> opened{false};
  std::thread next([&] {
    const absl::StatusOr<Ref<RemoteSession>> second = Open(server->port());
    EXPECT_TRUE(second.ok()) << second.status();
    opened = true;
  });
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(opened);
  finish = true;
  next.join();
  EXPECT_EQ(waiting, 0);
}

// Code of a session may keep a function of its client beyond the session.
TEST_F(ThreadWorker, AFunctionOfAClientThatHasGone) {
  Function kept;
  Export("test.keep", [&kept](const Function& function) { kept = function; });
  std::unique_ptr<Server> server = Start();
  {
    const Ref<RemoteSession> session = *Open(server->port());
    Call(*session, "test.keep", Function::From([] { return 1; }));
    session->Close();
  }
  server.reset();
  EXPECT_EQ(StatusName(kept.TryCall().status()), "session-closed");
  kept = {};
}

// A worker that nothing can end, as a process in a driver that hangs.
class Immortal final : public SupervisedWorker {
 public:
  void Pass(FileHandle, uint64_t, std::string_view) override {}
  void Cancel(uint64_t) override {}
  void Kill() override {}
  void AddTo(std::vector<pollfd>&) const override {}
  size_t Listen() override { return 0; }
  bool Ended(WorkerEnd*) override { return false; }
  bool Abandon() override { return true; }
};

TEST(ImmortalWorker, DoesNotKeepTheServer) {
  ServerOptions options;
  options.supervisor.kill_seconds = 0.2;
  options.supervisor.machine = ThisMachine();
  std::atomic<bool> told{false};
  options.log = [&](std::string_view line) {
    told = told || line.find("does not end") != line.npos;
  };
  options.start_worker = [] { return std::make_unique<Immortal>(); };
  (*Server::Start(std::move(options))).reset();
  EXPECT_TRUE(told);
}

TEST_F(ThreadWorker, TheServerEndsInMidCall) {
  std::unique_ptr<Server> server = Start();
  const Ref<RemoteSession> session = *Open(server->port());
  std::thread stopper([&] {
    EXPECT_TRUE(Within(milliseconds(10000), [] { return waiting == 1; }));
    server.reset();
  });
  EXPECT_FALSE(session->GetFunction("test.wait")->TryCall().ok());
  stopper.join();
  EXPECT_EQ(waiting, 0);
}

TEST_F(ThreadWorker, BehindAProxy) {
  ProxyOptions proxy_options;
  proxy_options.door.machine = ThisMachine();
  const std::unique_ptr<ProxyServer> proxy = *ProxyServer::Start(std::move(proxy_options));
  ServerOptions options;
  options.supervisor.key = "android";
  options.proxy_host = "127.0.0.1";
  options.proxy_port = proxy->port();
  const std::unique_ptr<Server> server = Start(std::move(options));
  for (int64_t i = 0; i < 3; ++i) {
    const absl::StatusOr<Ref<RemoteSession>> session = Open(proxy->port(), "android");
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ(Call(**session, "test.add", i, 1).As<int64_t>(), i + 1);
  }
}

}  // namespace
}  // namespace lathe::runtime::rpc
