#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "runtime/raise.h"

namespace lathe::runtime {
namespace {

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { SetNumThreads(4); }
  void TearDown() override { SetParallelRun(nullptr, nullptr); }
};

TEST_F(ThreadPool, CoversEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    SetNumThreads(threads);
    for (int64_t extent : {0, 1, 2, 3, 7, 64, 1000, 100003}) {
      std::vector<std::atomic<int>> hits(static_cast<size_t>(extent));
      ParallelFor(extent, [&](int64_t begin, int64_t end) {
        ASSERT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) hits[static_cast<size_t>(i)].fetch_add(1);
      });
      for (const auto& hit : hits) ASSERT_EQ(hit.load(), 1);
    }
  }
}

TEST_F(ThreadPool, OnSoManyThreadsNoTwoHaveOneIndex) {
  struct Loop {
    std::vector<std::atomic<int>> hits, inside;
    std::atomic<bool> shared{false};
    int threads;
    Loop(int64_t extent, int n) : hits(static_cast<size_t>(extent)), inside(16), threads(n) {}
    static int32_t Body(void* self, int64_t begin, int64_t end) {
      auto* loop = static_cast<Loop*>(self);
      const int32_t index = ThreadIndex();
      if (index < 0 || index >= loop->threads) return Raise("index", "{0}", nullptr, 0);
      std::atomic<int>& here = loop->inside[static_cast<size_t>(index)];
      if (++here != 1) loop->shared = true;
      for (int64_t i = begin; i < end; ++i) ++loop->hits[static_cast<size_t>(i)];
      --here;
      return 0;
    }
  };
  for (const int pool : {1, 2, 4}) {
    SetNumThreads(pool);
    for (const int threads : {0, 1, 2, 3, 9}) {
      for (const int64_t extent : {0, 1, 2, 3, 7, 64, 1000, 100003}) {
        Loop loop(extent, std::max(threads, 1));
        ASSERT_EQ(ParallelOn(&Loop::Body, &loop, extent, threads), 0);
        for (const auto& hit : loop.hits) ASSERT_EQ(hit.load(), 1);
        EXPECT_FALSE(loop.shared);
      }
    }
  }
  EXPECT_EQ(ThreadIndex(), 0);
}

TEST_F(ThreadPool, ALoopWithinALoopIsThreadZero) {
  SetNumThreads(3);
  std::atomic<int> wrong{0};
  ParallelFor(64, [&](int64_t, int64_t) {
    ParallelOn(
        [](void* self, int64_t, int64_t) -> int32_t {
          if (ThreadIndex() != 0) ++*static_cast<std::atomic<int>*>(self);
          return 0;
        },
        &wrong, 5, 3);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, OnSoManyThreadsTheFirstErrorCounts) {
  SetNumThreads(3);
  EXPECT_NE(ParallelOn(
                [](void*, int64_t begin, int64_t end) -> int32_t {
                  return begin <= 500 && 500 < end ? Raise("body-failed", "so", nullptr, 0) : 0;
                },
                nullptr, 1000, 3),
            0);
  EXPECT_EQ(std::string(TakePendingError().get()->name), "body-failed");
  EXPECT_EQ(ThreadIndex(), 0);
}

TEST_F(ThreadPool, UsesSeveralThreads) {
  SetNumThreads(3);
  // Each part waits until three threads run parts.
  std::atomic<int> inside{0};
  ParallelFor(3, [&](int64_t begin, int64_t end) {
    ASSERT_EQ(end, begin + 1);
    ++inside;
    while (inside.load() < 3) std::this_thread::yield();
  });
  EXPECT_EQ(inside.load(), 3);
}

TEST_F(ThreadPool, BalancesUnevenWork) {
  SetNumThreads(2);
  // The first index runs until all others are done: the thread that runs it must hold only few
  // others.
  std::atomic<int> done{0};
  ParallelFor(64, [&](int64_t begin, int64_t end) {
    if (begin == 0) {
      while (done.load() < 64 - end) std::this_thread::yield();
    } else {
      done += static_cast<int>(end - begin);
    }
  });
  EXPECT_GE(done.load(), 48);
}

TEST_F(ThreadPool, NestedLoopsRunSerially) {
  std::atomic<int64_t> total{0};
  ParallelFor(16, [&](int64_t begin, int64_t end) {
    const std::thread::id here = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      ParallelFor(10, [&](int64_t inner_begin, int64_t inner_end) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        total += inner_end - inner_begin;
      });
    }
  });
  EXPECT_EQ(total.load(), 160);
}

TEST_F(ThreadPool, ExceptionsReachTheCaller) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(ParallelFor(100,
                             [&](int64_t begin, int64_t end) {
                               if (begin <= 57 && 57 < end) throw std::out_of_range("57");
                             }),
                 std::out_of_range);
  }
  std::atomic<int> count{0};
  ParallelFor(10, [&](int64_t begin, int64_t end) { count += static_cast<int>(end - begin); });
  EXPECT_EQ(count.load(), 10);
}

int32_t FailAtLast(void*, int64_t, int64_t end) {
  return end == 1000 ? Raise("body-failed", "at the end", nullptr, 0) : 0;
}

TEST_F(ThreadPool, RaisedErrorsReachTheCaller) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_NE(ParallelFor(FailAtLast, nullptr, 1000), 0);
    ASSERT_TRUE(HasPendingError());
    EXPECT_STREQ(TakePendingError().get()->name, "body-failed");
  }
}

TEST_F(ThreadPool, FailureSkipsPartsNotYetBegun) {
  SetNumThreads(1);
  SetNumThreads(2);
  std::atomic<int64_t> run{0};
  EXPECT_THROW(ParallelFor(1000000,
                           [&](int64_t begin, int64_t end) {
                             run += end - begin;
                             throw std::runtime_error("at once");
                           }),
               std::runtime_error);
  EXPECT_LT(run.load(), 1000000);
}

TEST_F(ThreadPool, SeveralThreadsMayLoopAtOnce) {
  std::vector<std::thread> callers;
  for (int c = 0; c < 12; ++c) {
    callers.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<int64_t> sum{0};
        ParallelFor(97, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) sum += i;
        });
        ASSERT_EQ(sum.load(), 96 * 97 / 2);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(ThreadPool, CountsAreChecked) {
  for (int n : {0, -1, 1025}) {
    try {
      SetNumThreads(n);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.name(), "threads-invalid-count");
    }
  }
  EXPECT_EQ(NumThreads(), 4);
}

TEST_F(ThreadPool, ChangesAndStopsBetweenLoops) {
  for (int round = 0; round < 40; ++round) {
    SetNumThreads(round % 5 + 1);
    std::atomic<int> count{0};
    ParallelFor(50, [&](int64_t begin, int64_t end) { count += static_cast<int>(end - begin); });
    ASSERT_EQ(count.load(), 50);
    if (round % 3 == 0) StopThreads();
  }
}

TEST_F(ThreadPool, MayBeReplaced) {
  struct Calls {
    int count = 0;
  } calls;
  SetParallelRun(
      [](void* context, lathe_parallel_body body, void* closure, int64_t extent) -> int32_t {
        ++static_cast<Calls*>(context)->count;
        int32_t first = 0;
        std::thread other([&] { first = body(closure, 0, extent / 2); });
        const int32_t second = body(closure, extent / 2, extent);
        other.join();
        return first != 0 ? first : second;
      },
      &calls);
  std::atomic<int> count{0};
  ParallelFor(10, [&](int64_t begin, int64_t end) {
    ParallelFor(2, [&](int64_t, int64_t) {});  // nested: not handed to the pool
    count += static_cast<int>(end - begin);
  });
  EXPECT_EQ(count.load(), 10);
  EXPECT_EQ(calls.count, 1);
  EXPECT_NE(ParallelFor([](void*, int64_t begin,
                           int64_t) { return begin == 0 ? Raise("x", "y", nullptr, 0) : 0; },
                        nullptr, 10),
            0);
  EXPECT_STREQ(TakePendingError().get()->name, "x");
}

TEST_F(ThreadPool, IdleWorkersSleep) {
  std::atomic<int> count{0};
  ParallelFor(100, [&](int64_t, int64_t) { ++count; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto processor_time = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
  };
  const auto before = processor_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(processor_time() - before, 20000);  // of 200,000 us and more
}

// A worker avoids its waker's processor only while it sleeps.
TEST_F(ThreadPool, WokenWorkersMayRunEverywhere) {
  std::vector<std::thread> callers;
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        std::atomic<int> sum{0};
        ParallelFor(8, [&](int64_t begin, int64_t end) { sum += static_cast<int>(end - begin); });
        EXPECT_EQ(sum.load(), 8);
        std::this_thread::sleep_for(std::chrono::microseconds(i % 2 == 0 ? 300 : 20));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto usable = [] {
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
  };
  const cpu_set_t all = usable();
  std::atomic<int> arrived{0}, narrowed{0};
  ParallelFor(4, [&](int64_t begin, int64_t end) {
    const cpu_set_t mine = usable();
    if (!CPU_EQUAL(&mine, &all)) ++narrowed;
    arrived += static_cast<int>(end - begin);
    while (arrived.load() < 4) std::this_thread::yield();  // so that each part has its own thread
  });
  EXPECT_EQ(narrowed.load(), 0);
}

#if !defined(__SANITIZE_THREAD__) && !(defined(__has_feature) && __has_feature(thread_sanitizer))
// ThreadSanitizer does not follow threads into a child process.
TEST_F(ThreadPool, StartsAfreshAfterFork) {
  std::atomic<int> count{0};
  ParallelFor(100, [&](int64_t begin, int64_t end) { count += static_cast<int>(end - begin); });
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> inside{0};
    ParallelFor(2, [&](int64_t, int64_t) {
      ++inside;
      while (inside.load() < 2) std::this_thread::yield();
    });
    _exit(inside.load() == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(Uninterrupted([&] { return waitpid(child, &status, 0); }), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(ThreadPool, ForkInsideALoopIsNamed) {
  static pid_t child;
  child = -1;
  SetNumThreads(2);
  const int32_t result = ParallelFor(
      [](void*, int64_t begin, int64_t) -> int32_t {
        if (begin == 0) child = fork();
        return 0;
      },
      nullptr, 2);
  if (child == 0) {
    // Only the thread that forked exists here. If it was the loop's own thread, the loop reports
    // the fork. A worker's main function continues and sleeps: it never gets here.
    const bool named =
        result != 0 && std::string(TakePendingError().get()->name) == "threads-forked-inside-loop";
    _exit(named ? 0 : 1);
  }
  ASSERT_EQ(result, 0);
  ASSERT_GT(child, 0);
  int status = 0;
  for (int i = 0; i < 200; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);  // a worker had taken the first part
  Uninterrupted([&] { return waitpid(child, &status, 0); });
}
#endif

TEST(NumThreads, ComesFromTheEnvironment) {
  // Asked in a child process: the number is read once.
  const auto ask = [](const char* value) {
    setenv("LATHE_NUM_THREADS", value, 1);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "thread_pool_test", "--gtest_filter=NumThreads.DISABLED_Child",
            "--gtest_also_run_disabled_tests", nullptr);
      _exit(99);
    }
    int status = 0;
    Uninterrupted([&] { return waitpid(child, &status, 0); });
    unsetenv("LATHE_NUM_THREADS");
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(ask("3"), 3);
  EXPECT_EQ(ask("many"), 77);
  EXPECT_EQ(ask("0"), 77);
}

TEST(NumThreads, DISABLED_Child) {
  try {
    _exit(NumThreads());
  } catch (const Error& error) {
    _exit(error.name() == "threads-invalid-count" ? 77 : 78);
  }
}

}  // namespace
}  // namespace lathe::runtime
