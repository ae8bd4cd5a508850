// nvcc, and what it started, end with the work and with the process of their caller.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "backends/cuda/nvcc.h"
#include "base/poll.h"

namespace lathe::cuda {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A toolkit whose nvcc is a script.
void UseNvcc(const std::string& name, const std::string& script) {
  const fs::path home = fs::path(testing::TempDir()) / name;
  fs::create_directories(home / "bin");
  std::ofstream(home / "bin/nvcc") << "#!/bin/sh\n" << script << "\n";
  fs::permissions(home / "bin/nvcc", fs::perms::owner_all);
  setenv("LATHE_CUDA_HOME", home.c_str(), 1);
}

Compiled CompileIt() { return CompileByNvcc("source", "kernel.cu", "sm_80", {}); }

std::string Hangs(const std::string& pids) {
  return "sleep 1000 &\necho $! > " + pids + ".ptxas\necho $$ > " + pids + ".nvcc\nwait";
}

bool IsWritten(const std::string& pid_file) {
  int pid = 0;
  return static_cast<bool>(std::ifstream(pid_file) >> pid);
}

// Waits until no process of this id is left but as a zombie that its parent will reap.
bool IsGone(const std::string& pid_file) {
  int pid = 0;
  std::ifstream(pid_file) >> pid;
  for (int i = 0; i < 500; ++i) {
    std::string id, name, state;
    if (!(std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> id >> name >> state) ||
        state == "Z")
      return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

std::string* g_await = nullptr;
void EndsOnceWritten() {
  if (IsWritten(*g_await)) throw std::runtime_error("the work is to end");
}

TEST(NvccEnd, ItWorksInAFolderOfItsOwn) {
  UseNvcc("works", "echo of $PWD\ncat kernel.cu >&2\nprintf code > out");
  const Compiled made = CompileIt();
  EXPECT_EQ(made.code, "code");
  EXPECT_NE(made.log.find("source"), made.log.npos) << made.log;
  ASSERT_EQ(made.log.rfind("of /", 0), 0u) << made.log;
  EXPECT_FALSE(fs::exists(made.log.substr(3, made.log.find('\n') - 3))) << "it is removed";
}

TEST(NvccEnd, WithTheCallersWork) {
  std::string pids = testing::TempDir() + "/work", written = pids + ".nvcc";
  UseNvcc("hangs", Hangs(pids));
  g_await = &written;
  SetPoll(EndsOnceWritten);
  EXPECT_THROW(CompileIt(), std::runtime_error);
  SetPoll(nullptr);
  EXPECT_TRUE(IsGone(pids + ".nvcc"));
  EXPECT_TRUE(IsGone(pids + ".ptxas"));
}

TEST(NvccEnd, WithTheCallersProcess) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string pids = testing::TempDir() + "/killed" + std::to_string(signal);
    UseNvcc("killed" + std::to_string(signal), Hangs(pids));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      CompileIt();
      _exit(0);
    }
    while (!IsWritten(pids + ".nvcc")) std::this_thread::sleep_for(5ms);
    ASSERT_EQ(kill(child, signal), 0);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(IsGone(pids + ".nvcc"));
    EXPECT_TRUE(IsGone(pids + ".ptxas"));
  }
}

}  // namespace
}  // namespace lathe::cuda
