// Programs that are asked for what another one does, and what a server says about its tracker and
// its proxy.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/rpc/connect.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/tracker_server.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;

std::string worker_program;

// The lines of a log that another thread writes.
class Log {
 public:
  std::function<void(std::string_view)> writer() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    };
  }
  bool Has(const std::vector<std::string>& parts, int times = 1) {
    const std::lock_guard lock(mutex_);
    int found = 0;
    for (const std::string& line : lines_) {
      bool all = true;
      for (const std::string& part : parts) all = all && line.find(part) != std::string::npos;
      found += all ? 1 : 0;
    }
    return found == times;
  }
  std::string Text() {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

ServerOptions Device(Log* log = nullptr) {
  ServerOptions options;
  options.supervisor.key = "board";
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  if (log != nullptr) options.log = log->writer();
  return options;
}

std::unique_ptr<TrackerServer> StartTracker(int port = 0) {
  TrackerOptions options;
  options.listen.port = port;
  options.door.machine = ThisMachine();
  return *TrackerServer::Start(std::move(options));
}

std::unique_ptr<ProxyServer> StartProxy(int port = 0) {
  ProxyOptions options;
  options.listen.port = port;
  options.door.machine = ThisMachine();
  return *ProxyServer::Start(std::move(options));
}

// What is said about another program than the wanted one.
void ExpectRole(const absl::Status& status, const char* wanted, const char* found) {
  EXPECT_EQ(StatusName(status), "rpc-role") << status;
  for (const std::string& part : {"expected: " + std::string(wanted) + "\n",
                                  "found: " + std::string(found) + "\n", std::string("help: ")})
    EXPECT_NE(status.message().find(part), std::string::npos) << status;
}

TEST(Roles, ThePortOfAnotherProgram) {
  const std::unique_ptr<Server> server = *Server::Start(Device());
  const std::unique_ptr<TrackerServer> tracker = StartTracker();
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  ConnectOptions to_tracker;
  to_tracker.port = tracker->port();
  ExpectRole(Connect(to_tracker).status(), "a server or a proxy", "a tracker");
  const TrackerAddress of_server{.port = server->port()}, of_proxy{.port = proxy->port()};
  ExpectRole(RequestDevice(of_server, {.key = "board"}).status(), "a tracker", "a server");
  ExpectRole(RequestDevice(of_proxy, {.key = "board"}).status(), "a tracker", "a proxy");
  ExpectRole(SummaryOf(of_server, ProgramRole::kTracker).status(), "a tracker", "a server");
  EXPECT_TRUE(SummaryOf(of_server).ok());
  EXPECT_TRUE(SummaryOf(of_proxy).ok());
}

TEST(Roles, AServerSaysThatItsTrackerIsNone) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  const std::unique_ptr<TrackerServer> tracker = StartTracker();
  Log log, other;
  ServerOptions lent = Device(&log);
  lent.tracker_host = "127.0.0.1";
  lent.tracker_port = proxy->port();
  const std::unique_ptr<Server> server = *Server::Start(lent);
  EXPECT_TRUE(Within(milliseconds(5000), [&] {
    return log.Has({"tracker 127.0.0.1:", "[rpc-role]", "found: a proxy"});
  }));
  ServerOptions dials = Device(&other);
  dials.proxy_host = "127.0.0.1";
  dials.proxy_port = tracker->port();
  const std::unique_ptr<Server> behind = *Server::Start(dials);
  EXPECT_TRUE(Within(milliseconds(5000), [&] {
    return other.Has({"proxy 127.0.0.1:", "[rpc-role]", "found: a tracker"});
  }));
}

TEST(Roles, AServerSaysWhenItIsRegistered) {
  std::unique_ptr<TrackerServer> tracker = StartTracker();
  std::unique_ptr<ProxyServer> proxy = StartProxy();
  const int port = tracker->port(), proxy_port = proxy->port();
  Log log;
  ServerOptions options = Device(&log);
  options.tracker_host = options.proxy_host = "127.0.0.1";
  options.tracker_port = port;
  options.proxy_port = proxy_port;
  const std::unique_ptr<Server> server = *Server::Start(options);
  const std::string of_tracker = "tracker 127.0.0.1:" + std::to_string(port) + ": ";
  const std::string of_proxy = "proxy 127.0.0.1:" + std::to_string(proxy_port) + ": ";
  for (int times = 1; times <= 2; ++times) {
    for (const std::string& of : {of_tracker, of_proxy}) {
      EXPECT_TRUE(Within(milliseconds(8000), [&] { return log.Has({of + "registered"}, times); }))
          << of << times << "\n"
          << log.Text();
    }
    if (times == 2) break;
    tracker.reset();
    proxy.reset();
    for (const std::string& of : {of_tracker, of_proxy}) {
      EXPECT_TRUE(Within(milliseconds(8000), [&] { return log.Has({of, "is ending"}); }))
          << of << "\n"
          << log.Text();
    }
    tracker = StartTracker(port);
    proxy = StartProxy(proxy_port);
  }
}

TEST(Roles, ADeviceThatNobodyCouldReachIsRefused) {
  ServerOptions options = Device();
  options.tracker_host = "tracker.example";
  const absl::Status alone = Server::Start(options).status();
  EXPECT_EQ(StatusName(alone), "rpc-loopback") << alone;
  EXPECT_NE(alone.message().find("help: --host 0.0.0.0"), std::string::npos) << alone;
  options.tracker_address = "board.example";  // by a tunnel
  EXPECT_TRUE(Server::Start(options).ok());
  options.supervisor.key = "two words";
  EXPECT_EQ(StatusName(Server::Start(options).status()), "rpc-key");
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::runtime::rpc::worker_program = argv[1];
  return RUN_ALL_TESTS();
}
