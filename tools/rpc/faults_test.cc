// Clients, servers and workers that are killed, stopped, or misbehave, as processes of this
// machine: the others hear of it within a time, and nothing stays.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"

extern char** environ;

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string own_program, server_program, worker_program;

// A program that runs, and what it prints.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    int pipes[2];
    EXPECT_EQ(pipe2(pipes, O_CLOEXEC), 0);
    output_ = FileHandle(pipes[0]);
    const FileHandle far(pipes[1]);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, far.get(), 1);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    kill(pid_, SIGKILL);
    Uninterrupted([&] { return waitpid(pid_, nullptr, 0); });
  }
  Program(const Program&) = delete;

  void Send(int signal) const { kill(pid_, signal); }
  // The number after `text` in what it prints; -1 if it ends before.
  int64_t NumberAfter(const std::string& text) {
    for (;;) {
      const size_t at = printed_.find(text);
      if (at != std::string::npos && printed_.find('\n', at) != std::string::npos)
        return std::atoll(printed_.c_str() + at + text.size());
      char bytes[512];
      const ssize_t got = Uninterrupted([&] { return read(output_.get(), bytes, sizeof(bytes)); });
      if (got <= 0) return -1;
      printed_.append(bytes, static_cast<size_t>(got));
    }
  }

 private:
  pid_t pid_ = 0;
  FileHandle output_;
  std::string printed_;
};

std::unique_ptr<Server> Start(SupervisorOptions supervisor = {}) {
  ServerOptions options;
  options.supervisor = std::move(supervisor);
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  return *Server::Start(std::move(options));
}

absl::StatusOr<Ref<RemoteSession>> Open(int port, ControlOptions control = {}) {
  ConnectOptions options;
  options.port = port;
  options.control = std::move(control);
  return Connect(std::move(options));
}

Value Call(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name))(args...);
}

// Whether a session begins, and works, within `limit`.
bool Opens(int port, milliseconds limit) {
  Cancellation stop;
  stop.SetDeadline(steady_clock::now() + limit);
  const CancelScope scope(stop);
  try {
    const absl::StatusOr<Ref<RemoteSession>> session = Open(port);
    return session.ok() && Call(**session, "test.add", 1, 2).As<int64_t>() == 3;
  } catch (const Interrupted&) {
    return false;
  }
}

// This program as a client: opens a session, prints its worker's number, and waits.
int Client(int port) {
  const Ref<RemoteSession> session = *Open(port);
  std::printf("worker %d\n", static_cast<int>(Call(*session, "test.pid").As<int64_t>()));
  std::fflush(stdout);
  for (;;) pause();
}

std::vector<std::string> ClientOf(int port) {
  return {own_program, "--client", std::to_string(port)};
}

TEST(Faults, AClientIsKilled) {
  const std::unique_ptr<Server> server = Start();
  Program client(ClientOf(server->port()));
  const int64_t worker = client.NumberAfter("worker ");
  ASSERT_GT(worker, 0);
  client.Send(SIGKILL);
  EXPECT_TRUE(Opens(server->port(), milliseconds(3000)));
  EXPECT_FALSE(Lives(worker));
}

TEST(Faults, AClientIsStopped) {
  const std::unique_ptr<Server> server = Start();
  Program client(ClientOf(server->port()));
  const int64_t worker = client.NumberAfter("worker ");
  ASSERT_GT(worker, 0);
  client.Send(SIGSTOP);
  // Three heartbeats that do not come.
  EXPECT_TRUE(Opens(server->port(), milliseconds(12000)));
  EXPECT_FALSE(Lives(worker));
}

TEST(Faults, AServerIsKilled) {
  const std::string folder = testing::TempDir() + "/killed";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  setenv("TMPDIR", folder.c_str(), 1);
  const auto folders = [&] {
    const auto all = std::filesystem::directory_iterator(folder);
    return std::distance(begin(all), end(all));
  };
  {
    Program server({server_program, "--port", "0", "--worker", worker_program});
    const auto port = static_cast<int>(server.NumberAfter("listening on 127.0.0.1:"));
    const Ref<RemoteSession> session = *Open(port);
    ASSERT_TRUE(session->files().Upload("file", "bytes").ok());
    const auto worker = Call(*session, "test.pid").As<int64_t>();
    server.Send(SIGKILL);
    EXPECT_TRUE(Within(milliseconds(3000), [&] { return !Lives(worker); }));
    EXPECT_EQ(StatusName(session->files().List().status()), "link-lost");
  }
  // What it left is removed by the next one.
  EXPECT_GT(folders(), 0);
  Program next({server_program, "--port", "0", "--worker", worker_program});
  EXPECT_TRUE(
      Opens(static_cast<int>(next.NumberAfter("listening on 127.0.0.1:")), milliseconds(5000)));
  next.Send(SIGTERM);
  EXPECT_TRUE(Within(milliseconds(5000), [&] { return folders() == 0; }));
  unsetenv("TMPDIR");
}

TEST(Faults, AServerIsStopped) {
  Program server({server_program, "--port", "0", "--worker", worker_program});
  const auto port = static_cast<int>(server.NumberAfter("listening on 127.0.0.1:"));
  const Ref<RemoteSession> session = *Open(port);
  const auto begin = steady_clock::now();
  server.Send(SIGSTOP);
  // The worker lives and answers, but nobody could end it.
  EXPECT_TRUE(Within(milliseconds(12000),
                     [&] { return StatusName(session->files().List().status()) == "link-lost"; }));
  EXPECT_GT(steady_clock::now() - begin, milliseconds(4000));
}

TEST(Faults, AWorkerIsStoppedAndItsCallCancelled) {
  const std::unique_ptr<Server> server = Start();
  {
    const Ref<RemoteSession> session = *Open(server->port());
    kill(static_cast<pid_t>(Call(*session, "test.pid").As<int64_t>()), SIGSTOP);
    const auto begin = steady_clock::now();
    Cancellation stop;
    stop.SetDeadline(begin + milliseconds(100));
    const CancelScope scope(stop);
    EXPECT_THROW(session->files().List().IgnoreError(), Interrupted);
    EXPECT_LT(steady_clock::now() - begin, milliseconds(6000));
  }
  EXPECT_TRUE(Opens(server->port(), milliseconds(5000)));
}

TEST(Faults, AWorkerPrintsWithoutAnEnd) {
  const std::unique_ptr<Server> server = Start({.max_sessions = 2});
  const Ref<RemoteSession> session = *Open(server->port(), {.session_timeout = 3});
  absl::Status end;
  std::thread prints([&] { end = (*session->GetFunction("test.print")).TryCall().status(); });
  std::this_thread::sleep_for(milliseconds(300));
  // Others are served meanwhile, and time ends it.
  EXPECT_TRUE(Opens(server->port(), milliseconds(2000)));
  const auto begin = steady_clock::now();
  prints.join();
  EXPECT_EQ(StatusName(end), "session-timeout");
  EXPECT_LT(steady_clock::now() - begin, milliseconds(6000));
}

TEST(Faults, NoDescriptorsAreLeft) {
  const std::string limited = "ulimit -n 64; exec \"$0\" \"$@\"";
  Program server(
      {"/bin/sh", "-c", limited, server_program, "--port", "0", "--worker", worker_program});
  const auto port = static_cast<int>(server.NumberAfter("listening on 127.0.0.1:"));
  ASSERT_GT(port, 0);
  {
    std::vector<FileHandle> strangers;
    for (int i = 0; i < 100; ++i) strangers.push_back(*ConnectTcp("127.0.0.1", port, 5));
    std::this_thread::sleep_for(milliseconds(300));
  }
  EXPECT_TRUE(Opens(port, milliseconds(5000)));
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  namespace rpc = lathe::runtime::rpc;
  if (argc == 3 && std::string(argv[1]) == "--client") return rpc::Client(std::atoi(argv[2]));
  testing::InitGoogleTest(&argc, argv);
  rpc::own_program = "/proc/self/exe";
  rpc::server_program = argv[1];
  rpc::worker_program = argv[2];
  return RUN_ALL_TESTS();
}
