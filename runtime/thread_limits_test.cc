// Threads and their pool where the system refuses threads, or allows only small stacks.
#include <grp.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/thread.h"
#include "runtime/test_cgroup.h"
#include "runtime/test_threads.h"
#include "runtime/thread_pool.h"

namespace lathe::runtime {
namespace {

using testing_threads::left;
using testing_threads::refused;

// How a child ends that cannot be brought into the state that a test needs.
constexpr int kNotPossible = 77;

class ThreadLimits : public testing::Test {
 protected:
  void SetUp() override {
    StopThreads();
    refused = 0;
  }
  void TearDown() override {
    left = 1 << 30;
    StopThreads();
  }
};

// Expects that a loop runs every index once, on any number of threads.
void ExpectALoopWorks() {
  std::vector<std::atomic<int>> hits(1000);
  ParallelFor(1000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) hits[static_cast<size_t>(i)].fetch_add(1);
  });
  for (const auto& hit : hits) ASSERT_EQ(hit.load(), 1);
}

// The exit status of a child; -1 if it was killed.
int ExitOf(pid_t child) {
  int status = 0;
  if (Uninterrupted([&] { return waitpid(child, &status, 0); }) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns how many threads run at once in a loop of `threads` parts. Each of them calls `also`.
int ThreadsThatMeet(int threads, void (*also)() = [] {}) {
  std::atomic<int> inside{0}, most{0};
  ParallelFor(threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int here = ++inside;
      if (here > most) most = here;
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
      while (most < threads && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      also();
      --inside;
    }
  });
  return most;
}

TEST_F(ThreadLimits, LoopsGoOnWithTheThreadsThereAre) {
  for (int possible : {0, 1, 3}) {
    StopThreads();
    SetNumThreads(6);
    left = possible;
    refused = 0;
    for (int i = 0; i < 50; ++i) ExpectALoopWorks();
    EXPECT_EQ(refused, 1) << "asked once, then not for a second";
    StopThreads();  // waits for every worker that was counted
  }
}

TEST_F(ThreadLimits, ANumberChangesWhereThreadsAreRefused) {
  SetNumThreads(4);
  ExpectALoopWorks();
  left = 1;
  SetNumThreads(8);
  ExpectALoopWorks();
  left = 0;
  SetNumThreads(2);
  ExpectALoopWorks();
  SetNumThreads(1);
  ExpectALoopWorks();
  left = 1 << 30;
  SetNumThreads(3);
  EXPECT_EQ(ThreadsThatMeet(3), 3);
}

TEST_F(ThreadLimits, MissingThreadsAreAskedForAgain) {
  SetNumThreads(3);
  left = 1;
  ExpectALoopWorks();
  left = 1 << 30;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (ThreadsThatMeet(3) != 3) ASSERT_LT(std::chrono::steady_clock::now(), until);
}

// More stack than there is where a limit is small, and half of what there should be.
void UseStack() {
  volatile char bytes[kStackBytes / 2];
  for (size_t i = 0; i < sizeof(bytes); i += 1024) bytes[i] = 1;
}

// As with `ulimit -s 64`: the C library takes the limit at the start of a process as the size of
// the stacks of its threads.
bool MakeStacksSmall() {
  const rlimit limit{64 << 10, 64 << 10};
  pthread_attr_t small;
  return setrlimit(RLIMIT_STACK, &limit) == 0 && pthread_attr_init(&small) == 0 &&
         pthread_attr_setstacksize(&small, 64 << 10) == 0 &&
         pthread_setattr_default_np(&small) == 0;
}

TEST_F(ThreadLimits, WorkersHaveWholeStacks) {
  const pid_t child = fork();
  if (child == 0) {
    if (!MakeStacksSmall()) _exit(2);
    SetNumThreads(3);
    // Not on this thread, whose own stack is not the pool's.
    Thread([] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (ThreadsThatMeet(3, UseStack) != 3) {
        if (std::chrono::steady_clock::now() > until) _exit(3);
      }
      StopThreads();
    }).join();
    _exit(0);
  }
  EXPECT_EQ(ExitOf(child), 0);
}

TEST_F(ThreadLimits, WorkHasAWholeStack) {
  const pid_t child = fork();
  if (child == 0) {
    if (!MakeStacksSmall()) _exit(2);
    const auto work = [] {
      UseStack();
      return 7;
    };
    if (OnWholeStack(work) != 7) _exit(3);
    left = 0;
    try {
      OnWholeStack(work);
    } catch (const std::system_error&) {
      _exit(0);
    }
    _exit(4);
  }
  EXPECT_EQ(ExitOf(child), 0);
}

TEST_F(ThreadLimits, WorkStaysWhereTheStackIsWhole) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{kStackBytes, kStackBytes};
    left = 0;
    if (setrlimit(RLIMIT_STACK, &limit) != 0) _exit(kNotPossible);
    const pthread_t here = pthread_self();
    _exit(OnWholeStack([&] { return pthread_equal(here, pthread_self()) != 0 ? 0 : 1; }));
  }
  const int code = ExitOf(child);
  if (code == kNotPossible) GTEST_SKIP() << "the limit for stacks is below 8 MiB here";
  EXPECT_EQ(code, 0);
}

// As with `ulimit -v`: there is no room for the threads' stacks.
TEST_F(ThreadLimits, AddressSpaceForAFewStacks) {
  const pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max =
        static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (48 << 20));
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    SetNumThreads(64);
    for (int i = 0; i < 5; ++i) ExpectALoopWorks();
    namespace fs = std::filesystem;
    const fs::directory_iterator threads("/proc/self/task");
    if (std::distance(threads, fs::directory_iterator()) >= 64) _exit(3);
    StopThreads();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_EQ(ExitOf(child), 0);
}

// As with `ulimit -u`, which counts the threads of all processes of a user, but not root's.

[[noreturn]] void LoopsUnderALimitOfThreads() {
  if (geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)
      _exit(kNotPossible);
  }
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  const auto allow = [&](rlim_t threads) {
    limit.rlim_cur = std::min(threads, limit.rlim_max);
    return setrlimit(RLIMIT_NPROC, &limit) == 0;
  };
  // How many there are: with a limit of one more, one more can be made.
  rlim_t fewest = 0;
  for (bool made = false; !made;) {
    if (!allow(++fewest) || fewest > 100000) _exit(kNotPossible);
    try {
      std::thread([] {}).join();
      made = true;
    } catch (const std::system_error&) {
    }
  }
  if (fewest == 1) _exit(kNotPossible);  // this process alone is one: it has no limit
  SetNumThreads(64);
  for (const rlim_t more : {0, 3}) {
    StopThreads();
    if (!allow(fewest - 1 + more)) _exit(kNotPossible);
    for (int i = 0; i < 20; ++i) ExpectALoopWorks();
    namespace fs = std::filesystem;
    const fs::directory_iterator threads("/proc/self/task");
    if (std::distance(threads, fs::directory_iterator()) >= 64) _exit(3);
  }
  StopThreads();
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST_F(ThreadLimits, AUsersLimitOfThreads) {
  const pid_t child = fork();
  if (child == 0) LoopsUnderALimitOfThreads();
  const int code = ExitOf(child);
  if (code == kNotPossible) GTEST_SKIP() << "this process cannot be one that such a limit stops";
  EXPECT_EQ(code, 0);
}

// As in a container: a control group has a limit of tasks, for root too.
TEST_F(ThreadLimits, AControlGroupsLimitOfThreads) {
  constexpr int kTasks = 4;
  std::string why;
  const auto group = TestCgroup::Make("pids", std::to_string(kTasks), &why);
  if (group == nullptr) GTEST_SKIP() << why;
  const pid_t child = fork();
  if (child == 0) {
    if (!group->Join()) _exit(kNotPossible);
    SetNumThreads(64);
    for (int i = 0; i < 20; ++i) ExpectALoopWorks();
    namespace fs = std::filesystem;
    const fs::directory_iterator threads("/proc/self/task");
    if (std::distance(threads, fs::directory_iterator()) != kTasks) _exit(3);
    StopThreads();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  const int code = ExitOf(child);
  if (code == kNotPossible) GTEST_SKIP() << "no process may join " << group->procs();
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace lathe::runtime
