#include "driver/link/link_with_compiler.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/file.h"
#include "gtest/gtest.h"
#include "runtime/cancel.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using namespace std::chrono_literals;
using runtime::StatusName;

// A script that stands in for a compiler. The tests check how it is run and how its end is handled.
std::string Script(const std::string& name, const std::string& body) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TEST(LinkWithCompilerTest, PassesInputsAndArguments) {
  const std::string output = ::testing::TempDir() + "/out put.so";
  CompilerLink link;
  link.compiler = Script("records", "for word in \"$@\"; do echo \"$word\"; done > \"$4\"");
  link.inputs = {"a b.o", "$HOME.o"};
  link.arguments = {"-lm"};
  link.output = output;
  const absl::Status status = LinkWithCompiler(link);
  ASSERT_TRUE(status.ok()) << status;
  std::ifstream file(output);
  const std::string words{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(words, "-shared\n-fPIC\n-o\n" + output + "\na b.o\n$HOME.o\n-lm\n");
}

TEST(LinkWithCompilerTest, FailureCarriesTheOutput) {
  CompilerLink link;
  link.compiler = Script("fails", "echo to stdout; echo undefined symbol foo >&2; exit 3");
  link.output = "never.so";
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-failed");
  for (const char* part : {"exit status 3", "undefined symbol foo", "to stdout", "never.so"}) {
    EXPECT_NE(status.message().find(part), std::string_view::npos) << status;
  }
}

TEST(LinkWithCompilerTest, LongOutputKeepsItsEnd) {
  CompilerLink link;
  link.compiler =
      Script("talks", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 1");
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-failed");
  EXPECT_NE(status.message().find("line 2999"), std::string_view::npos);
  EXPECT_EQ(status.message().find("line 5\n"), std::string_view::npos);
}

TEST(LinkWithCompilerTest, MissingCompilerIsNamed) {
  CompilerLink link;
  link.compiler = "/no/such/clang";
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-not-found");
  EXPECT_NE(status.message().find("/no/such/clang"), std::string_view::npos);
}

TEST(LinkWithCompilerTest, HangingCompilerIsStopped) {
  CompilerLink link;
  link.compiler = Script("hangs", "sleep 100");
  link.timeout_seconds = 1;
  EXPECT_EQ(StatusName(LinkWithCompiler(link)), "compiler-timeout");
}

// Waits until there is no process with this id, except as a zombie that its parent will reap.
bool IsGone(const std::string& pid_file) {
  int pid = 0;
  for (int i = 0; i < 500; ++i) {
    if (std::ifstream file(pid_file); file >> pid) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string id, name, state;
      if (!(stat >> id >> name >> state) || state == "Z") return true;
    }
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

// Waits until the file holds the number. The shell creates the file before it writes to it.
void AwaitWritten(const std::string& pid_file) {
  for (int pid = 0; !(std::ifstream(pid_file) >> pid);) std::this_thread::sleep_for(5ms);
}

// A compiler that hangs, and a linker that it started.
std::string Hanging(const std::string& name, const std::string& pids) {
  return Script(
      name, "sleep 1000 &\necho $! > " + pids + ".linker\necho $$ > " + pids + ".compiler\nwait");
}

TEST(LinkWithCompilerTest, EndsWithItsCallersWork) {
  const std::string pids = ::testing::TempDir() + "/cancelled";
  runtime::Cancellation stop;
  std::thread other([&] {
    AwaitWritten(pids + ".compiler");
    stop.Cancel();
  });
  CompilerLink link;
  link.compiler = Hanging("cancelled", pids);
  link.timeout_seconds = 60;
  {
    const runtime::CancelScope scope(stop);
    EXPECT_THROW(static_cast<void>(LinkWithCompiler(link)), runtime::Interrupted);
  }
  other.join();
  EXPECT_TRUE(IsGone(pids + ".compiler"));
  EXPECT_TRUE(IsGone(pids + ".linker")) << "what it started ends as well";
}

// Whichever signal ends this process. Nobody tells the compiler.
TEST(LinkWithCompilerTest, EndsWithItsProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string pids = ::testing::TempDir() + "/killed" + std::to_string(signal);
    CompilerLink link;
    link.compiler = Hanging("killed" + std::to_string(signal), pids);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      static_cast<void>(LinkWithCompiler(link));
      _exit(0);
    }
    AwaitWritten(pids + ".compiler");
    ASSERT_EQ(kill(child, signal), 0);
    int status = 0;
    ASSERT_EQ(Uninterrupted([&] { return waitpid(child, &status, 0); }), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_TRUE(IsGone(pids + ".compiler")) << signal;
    EXPECT_TRUE(IsGone(pids + ".linker")) << signal;
  }
}

TEST(LinkWithCompilerTest, EndOfASignalIsSaid) {
  CompilerLink link;
  link.compiler = Script("dies", "echo so far; kill -USR1 $$; sleep 10");
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-failed");
  EXPECT_NE(status.message().find("signal 10"), std::string_view::npos) << status;
  EXPECT_NE(status.message().find("so far"), std::string_view::npos) << status;
}

// A tool may block signals for a thread that waits for them. The compiler must not inherit that.
TEST(LinkWithCompilerTest, GetsNoBlockedSignals) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  CompilerLink link;
  link.compiler = Script("blocked", "kill -TERM $$; exit 0");
  const absl::Status status = LinkWithCompiler(link);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_NE(status.message().find("signal 15"), std::string_view::npos) << status;
}

}  // namespace
}  // namespace lathe::driver
