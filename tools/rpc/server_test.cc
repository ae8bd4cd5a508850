// Servers and workers as processes, over the loopback interface.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/tracker_server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string server_program, worker_program, tracker_program;

std::unique_ptr<Server> Start(SupervisorOptions supervisor = {}) {
  ServerOptions options;
  options.supervisor = std::move(supervisor);
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  return *Server::Start(std::move(options));
}

absl::StatusOr<Ref<RemoteSession>> Open(const Server& server, ControlOptions control = {}) {
  ConnectOptions options;
  options.port = server.port();
  options.control = std::move(control);
  return Connect(std::move(options));
}

Value Call(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name))(args...);
}

absl::Status Fails(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name)).TryCall(args...).status();
}

TEST(Server, SessionsComeAndGo) {
  const size_t before = Descriptors();
  {
    const std::unique_ptr<Server> server = Start();
    std::vector<int64_t> pids;
    for (int64_t i = 0; i < 10; ++i) {
      const Ref<RemoteSession> session = *Open(*server);
      EXPECT_EQ(Call(*session, "test.add", i, 1).As<int64_t>(), i + 1);
      pids.push_back(Call(*session, "test.pid").As<int64_t>());
      const Tensor there = *Tensor::Empty({1 << 20}, DataType::Float(32), session->device(kDLCPU));
      std::vector<float> data(1 << 20, static_cast<float>(i)), back(1 << 20);
      ASSERT_TRUE(there.CopyFromHost(data.data(), 4 << 20).ok());
      ASSERT_TRUE(there.CopyToHost(back.data(), 4 << 20).ok());
      EXPECT_EQ(back, data);
      session->Close();
    }
    std::sort(pids.begin(), pids.end());
    EXPECT_EQ(std::unique(pids.begin(), pids.end()), pids.end());  // a process for each
    EXPECT_TRUE(
        Within(milliseconds(5000), [&] { return std::none_of(pids.begin(), pids.end(), Lives); }));
  }
  EXPECT_TRUE(Within(milliseconds(2000), [&] { return Descriptors() == before; }));
}

TEST(Server, ACrashIsAnErrorOfItsSession) {
  const std::unique_ptr<Server> server = Start();
  {
    const Ref<RemoteSession> session = *Open(*server);
    const absl::Status crash = Fails(*session, "test.crash");
    EXPECT_EQ(StatusName(crash), "session-crashed");
    EXPECT_NE(crash.message().find("signal 11"), std::string::npos) << crash;
    EXPECT_NE(crash.message().find("about to crash"), std::string::npos) << crash;
    EXPECT_EQ(StatusName(session->files().List().status()), "session-crashed");
  }
  {
    const Ref<RemoteSession> session = *Open(*server);
    EXPECT_NE(Fails(*session, "test.exit", 3).message().find("status 3"), std::string::npos);
  }
  {
    const Ref<RemoteSession> session = *Open(*server);
    const auto pid = Call(*session, "test.pid").As<int64_t>();
    kill(static_cast<pid_t>(pid), SIGKILL);
    // Nobody calls: the session hears of it.
    EXPECT_TRUE(Within(milliseconds(3000), [&] {
      return StatusName(session->files().List().status()) == "session-crashed";
    }));
  }
  const Ref<RemoteSession> session = *Open(*server);
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Server, OneAtATimeInOrder) {
  const std::unique_ptr<Server> server = Start();
  Ref<RemoteSession> first = *Open(*server);
  std::atomic<uint64_t> waits = 0;
  std::atomic<bool> open = false;
  std::thread second([&] {
    ConnectOptions options;
    options.port = server->port();
    options.queued = [&](uint64_t place) { waits = place; };
    const Ref<RemoteSession> session = *Connect(options);
    open = true;
    EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
  });
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return waits == 1; }));
  EXPECT_FALSE(open);
  first->Close();
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return open.load(); }));
  second.join();

  const std::unique_ptr<Server> two = Start({.max_sessions = 2});
  const Ref<RemoteSession> a = *Open(*two), b = *Open(*two);
  EXPECT_NE(Call(*a, "test.pid").As<int64_t>(), Call(*b, "test.pid").As<int64_t>());
}

TEST(Server, CancellingEndsACall) {
  const std::unique_ptr<Server> server = Start();
  const auto interrupted = [](RemoteSession& session, const char* name, auto... args) {
    const auto begin = steady_clock::now();
    Cancellation stop;
    stop.SetDeadline(begin + milliseconds(100));
    const CancelScope scope(stop);
    const absl::Status status = Fails(session, name, args...);
    EXPECT_LT(steady_clock::now() - begin, milliseconds(3000));
    return std::string(StatusName(status));
  };
  {
    const Ref<RemoteSession> session = *Open(*server);
    EXPECT_EQ(interrupted(*session, "test.sleep", 60.0), "deadline-exceeded");
    EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);  // the session lives
    EXPECT_EQ(interrupted(*session, "test.hang"), "deadline-exceeded");
    EXPECT_EQ(StatusName(session->files().List().status()), "session-crashed");
  }
  const Ref<RemoteSession> session = *Open(*server);
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
}

// What a session says after its worker was stopped.
absl::Status StoppedSession(RemoteSession& session) {
  const absl::StatusOr<Function> pid = session.GetFunction("test.pid");
  const absl::StatusOr<Value> number = pid.ok() ? pid->TryCall() : pid.status();
  if (!number.ok()) return number.status();
  kill(static_cast<pid_t>(number->As<int64_t>()), SIGSTOP);
  return session.files().List().status();
}

TEST(Server, TimeoutsEndSessions) {
  const std::unique_ptr<Server> server = Start();
  {
    const absl::StatusOr<Ref<RemoteSession>> session = Open(*server, {.session_timeout = 1.5});
    // Even one whose worker was stopped. A machine that is slow does not get as far.
    const absl::Status end = session.ok() ? StoppedSession(**session) : session.status();
    EXPECT_EQ(StatusName(end), "session-timeout");
  }
  const Ref<RemoteSession> session = *Open(*server);
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
}

// The workers' folders.
size_t Folders() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    count += entry.path().filename().string().rfind("lathe-", 0) == 0 ? 1 : 0;
  return count;
}

TEST(Server, WhatASessionLeavesIsRemoved) {
  setenv("TMPDIR", testing::TempDir().c_str(), 1);
  const size_t before = Folders();
  const std::unique_ptr<Server> server = Start({.spare = false});
  {
    const Ref<RemoteSession> killed = *Open(*server);
    ASSERT_TRUE(killed->files().Upload("file", "bytes").ok());
    EXPECT_GT(Folders(), before);
    EXPECT_EQ(StatusName(Fails(*killed, "test.crash")), "session-crashed");
  }
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return Folders() == before; }));
  const Ref<RemoteSession> session = *Open(*server);
  const auto child = Call(*session, "test.fork").As<int64_t>();
  EXPECT_TRUE(Lives(child));
  session->Close();
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return !Lives(child); }));
}

TEST(Server, SecretsAndKeys) {
  Secret secret{}, wrong{};
  wrong[0] = 1;
  const std::unique_ptr<Server> server = Start({.key = "board", .secret = secret});
  EXPECT_EQ(StatusName(Open(*server).status()), "rpc-secret");
  EXPECT_EQ(StatusName(Open(*server, {.secret = wrong}).status()), "rpc-secret");
  EXPECT_EQ(StatusName(Open(*server, {.key = "phone", .secret = secret}).status()),
            "rpc-no-device");
  const Ref<RemoteSession> session = *Open(*server, {.key = "board", .secret = secret});
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
  const std::unique_ptr<Server> open = Start();
  EXPECT_EQ(StatusName(Open(*open, {.secret = secret}).status()), "rpc-secret");
}

TEST(Server, ItIsOpenToThisMachineOnly) {
  ServerOptions options;
  options.worker = {worker_program};
  options.host = "0.0.0.0";
  EXPECT_EQ(StatusName(Server::Start(options).status()), "rpc-insecure");
  options.supervisor.insecure = true;
  EXPECT_TRUE(Server::Start(options).ok());
  options.host = "127.0.0.1";
  const std::unique_ptr<Server> first = *Server::Start(options);
  options.port = first->port();
  EXPECT_EQ(StatusName(Server::Start(options).status()), "rpc-port");
  options.port_end = options.port + 50;
  EXPECT_GT((*Server::Start(options))->port(), first->port());
  options.host = "no.such.name.invalid";
  EXPECT_EQ(StatusName(Server::Start(options).status()), "rpc-port");
}

TEST(Server, StrangersDoNotDisturb) {
  const std::unique_ptr<Server> server = Start();
  // Connections that say nothing, say something else, or claim to say much.
  std::vector<FileHandle> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(*ConnectTcp("127.0.0.1", server->port(), 5));
  const auto answer = [&](std::string_view bytes) {
    FileHandle socket = *ConnectTcp("127.0.0.1", server->port(), 5);
    EXPECT_TRUE(WriteAll(socket.get(), bytes).ok());
    std::string text(4096, '\0');
    size_t got = 0;
    EXPECT_TRUE(ReadNext(socket.get(), text.data(), text.size(), &got).ok());
    FrameReader reader(kMostControlBytes);
    reader.Feed(text.substr(0, got));
    const auto frame = *reader.Next();
    Refused refused;
    if (!frame || !DecodeFrame(*frame, &refused).ok()) return std::string("no answer");
    return std::string(StatusName(FromFailure(refused.reason)));
  };
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "rpc-malformed");
  std::string huge = EncodeFrame(Heartbeat{1});
  huge[27] = 0x70;
  EXPECT_EQ(answer(huge.substr(0, kHeaderBytes)), "rpc-too-large");
  EXPECT_EQ(answer(EncodeFrame(Heartbeat{1})), "rpc-unexpected");
  EXPECT_EQ(answer(EncodeFrame(Attach{std::string(16, 'x')})), "rpc-refused");
  Hello hello;
  hello.least = hello.most = 9;
  hello.nonce = std::string(16, 'n');
  hello.machine = ThisMachine();
  EXPECT_EQ(answer(EncodeFrame(hello)), "rpc-version");
  hello.least = 1;
  hello.machine.little_endian = 0;
  EXPECT_EQ(answer(EncodeFrame(hello)), "rpc-machine");
  const Ref<RemoteSession> session = *Open(*server);
  EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Server, NobodyListens) {
  const int port = Start()->port();  // closed again
  ConnectOptions options;
  options.port = port;
  EXPECT_EQ(StatusName(Connect(options).status()), "rpc-unreachable");
  options.port = 0;
  EXPECT_EQ(StatusName(Connect(options).status()), "rpc-unreachable");
}

TEST(Server, ItsEndIsToldToClients) {
  std::unique_ptr<Server> server = Start();
  const Ref<RemoteSession> session = *Open(*server);
  const auto pid = Call(*session, "test.pid").As<int64_t>();
  server.reset();
  EXPECT_FALSE(Lives(pid));
  EXPECT_EQ(StatusName(session->files().List().status()), "rpc-refused");
}

TEST(Server, AWorkerThatCannotStart) {
  ServerOptions options;
  options.worker = {"/no/such/program"};
  const std::unique_ptr<Server> server = *Server::Start(std::move(options));
  const absl::Status status = Open(*server).status();
  EXPECT_EQ(StatusName(status), "rpc-worker");
  EXPECT_NE(status.message().find("/no/such/program"), std::string::npos) << status;
}

// Whether it ends before the client's data connection arrives or after it, the error is the same.
TEST(Server, AWorkerThatEndsAtOnce) {
  ServerOptions options;
  options.worker = {"/bin/false"};
  const std::unique_ptr<Server> server = *Server::Start(std::move(options));
  for (int i = 0; i < 100; ++i) {
    const absl::Status status = Open(*server).status();
    ASSERT_EQ(StatusName(status), "session-crashed") << status;
    ASSERT_NE(status.message().find("status 1"), std::string::npos) << status;
  }
}

std::unique_ptr<TrackerServer> StartTracker(int port = 0) {
  TrackerOptions options;
  options.listen.port = port;
  options.door.machine = ThisMachine();
  return *TrackerServer::Start(std::move(options));
}

std::unique_ptr<Server> StartLent(int tracker, const char* key, int port = 0) {
  ServerOptions options;
  options.port = port;
  options.supervisor.key = key;
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  options.tracker_host = "127.0.0.1";
  options.tracker_port = tracker;
  return *Server::Start(std::move(options));
}

bool Registered(const TrackerAddress& tracker, int count) {
  return Within(milliseconds(6000), [&] {
    const std::string summary = SummaryOf(tracker).value_or("");
    int found = 0;
    for (size_t at = 0; (at = summary.find("\"lease\": 0", at)) != std::string::npos; ++at) ++found;
    return found == count;
  });
}

TEST(Tracker, LendsDevices) {
  std::unique_ptr<TrackerServer> tracker = StartTracker();
  const TrackerAddress address{.port = tracker->port()};
  const std::unique_ptr<Server> one = StartLent(tracker->port(), "board");
  const std::unique_ptr<Server> two = StartLent(tracker->port(), "board");
  ASSERT_TRUE(Registered(address, 2));
  // Without a lease nobody gets in.
  EXPECT_EQ(StatusName(Open(*one).status()), "rpc-lease");
  Ref<RemoteSession> a = *RequestDevice(address, {.key = "board"});
  Ref<RemoteSession> b = *RequestDevice(address, {.key = "board"});
  EXPECT_NE(Call(*a, "test.pid").As<int64_t>(), Call(*b, "test.pid").As<int64_t>());
  // The third one waits for one of them.
  std::atomic<uint64_t> place = 0;
  std::thread third([&] {
    const Ref<RemoteSession> session =
        *RequestDevice(address, {.key = "board", .queued = [&](uint64_t at) { place = at; }});
    EXPECT_EQ(Call(*session, "test.add", 1, 2).As<int64_t>(), 3);
    session->Close();
  });
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return place == 1; }));
  EXPECT_NE(SummaryOf(address)->find("\"priority\": 1"), std::string::npos);
  EXPECT_EQ(StatusName(Fails(*a, "test.crash")), "session-crashed");
  third.join();
  b->Close();
  EXPECT_TRUE(Registered(address, 2));

  // A tracker that comes back finds its devices again.
  const int port = tracker->port();
  tracker.reset();
  tracker = StartTracker(port);
  EXPECT_TRUE(Registered(address, 2));
  EXPECT_EQ(Call(**RequestDevice(address, {.key = "board"}), "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Tracker, WhatItRefuses) {
  const std::unique_ptr<TrackerServer> tracker = StartTracker();
  const TrackerAddress address{.port = tracker->port()};
  EXPECT_EQ(StatusName(RequestDevice(address, {.key = ""}).status()), "rpc-key");
  EXPECT_EQ(StatusName(SummaryOf({.port = tracker->port(), .secret = Secret{}}).status()),
            "rpc-secret");
  ServerOptions options;
  options.worker = {worker_program};
  options.tracker_host = "127.0.0.1";
  options.tracker_port = tracker->port();
  EXPECT_EQ(StatusName(Server::Start(options).status()), "rpc-key");
  // A wait can be interrupted.
  Cancellation stop;
  stop.SetDeadline(steady_clock::now() + milliseconds(200));
  const CancelScope scope(stop);
  try {
    RequestDevice(address, {.key = "nobody-has-it"}).IgnoreError();
    FAIL() << "not interrupted";
  } catch (const Interrupted& end) {
    EXPECT_EQ(end.name(), "deadline-exceeded");
  }
}

// The program: its port, a session, its end by a signal with no worker left.
TEST(ServerProgram, ListensAndEnds) {
  const std::string command =
      server_program + " --port 0 --worker " + worker_program + " & echo $!";
  FILE* const output = popen(command.c_str(), "r");
  char line[256];
  int64_t pid = 0;
  int port = 0;
  // The shell and the server both write: either line may come first.
  while ((port == 0 || pid == 0) && fgets(line, sizeof(line), output) != nullptr) {
    if (std::sscanf(line, "listening on 127.0.0.1:%d", &port) != 1) pid = std::atoll(line);
  }
  ASSERT_GT(port, 0);
  ASSERT_GT(pid, 0);  // kill(0) would end the test itself.
  ConnectOptions options;
  options.port = port;
  const Ref<RemoteSession> session = *Connect(options);
  const auto worker = Call(*session, "test.pid").As<int64_t>();
  kill(static_cast<pid_t>(pid), SIGTERM);
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return !Lives(pid) && !Lives(worker); }));
  pclose(output);
  const auto status = [](const std::string& line) {
    return WEXITSTATUS(std::system((line + " >/dev/null 2>&1").c_str()));
  };
  EXPECT_EQ(status(server_program + " --session-memory 2G --help"), 0);
  EXPECT_EQ(status(tracker_program + " --help"), 0);
  EXPECT_EQ(status(tracker_program + " --host 0.0.0.0"), 2);
  EXPECT_EQ(status(tracker_program + " --port=99999"), 2);
  for (const char* wrong : {" --session-memory 2X", " --session-memory 1M", " --keygen --help",
                            " --session-memory -1", " --session-memory 0.5", " --session-memory G",
                            " --port x", " --no-such-option", " --max-sessions 0", " --key",
                            " --tracker nowhere", " --host 0.0.0.0", " --tracker 127.0.0.1:1"}) {
    EXPECT_EQ(status(server_program + wrong), 2) << wrong;
  }
  // What the command line cannot help.
  const std::unique_ptr<Server> other = Start();
  const std::string taken = " --port " + std::to_string(other->port()) + " --port-end 0 --worker ";
  EXPECT_EQ(status(server_program + taken + worker_program), 3);
  for (const char* broken : {" --worker /none", " --secret-file /none", " --log-file /none/log",
                             " --keygen /none/secret"})
    EXPECT_EQ(status(server_program + broken), 3) << broken;
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::runtime::rpc::server_program = argv[1];
  lathe::runtime::rpc::worker_program = argv[2];
  lathe::runtime::rpc::tracker_program = argv[3];
  return RUN_ALL_TESTS();
}
