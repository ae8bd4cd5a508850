#include "runtime/cancel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "runtime/raise.h"
#include "runtime/registry.h"
#include "runtime/table.h"
#include "runtime/thread_pool.h"

namespace lathe::runtime {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int64_t kLong = int64_t{1} << 40;  // iterations that would take years
std::atomic<int64_t> done{0};

int32_t Slow(void*, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    std::this_thread::sleep_for(100us);
    ++done;
  }
  return 0;
}

std::string Taken() {
  const ErrorRef error = TakePendingError();
  return error.get()->name;
}

// Returns the name of the error with which a long loop ends.
std::string RunLong() { return ParallelFor(Slow, nullptr, kLong) == 0 ? "" : Taken(); }

class Cancel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { SetNumThreads(GetParam()); }
  void TearDown() override {
    SetNumThreads(2);
    SetParallelRun(nullptr, nullptr);
  }
};

TEST_P(Cancel, EndsALoopFromAnotherThread) {
  Cancellation cancellation;
  std::thread other([&] {
    std::this_thread::sleep_for(30ms);
    cancellation.Cancel();
  });
  {
    const CancelScope scope(cancellation);
    EXPECT_EQ(RunLong(), "cancelled");
    EXPECT_EQ(RunLong(), "cancelled") << "for good";
  }
  other.join();
  // Outside of the scope nothing is cancelled any more.
  done = 0;
  EXPECT_EQ(ParallelFor(Slow, nullptr, 20), 0);
  EXPECT_EQ(done, 20);
}

TEST_P(Cancel, EndsAtADeadline) {
  Cancellation cancellation;
  const auto deadline = Clock::now() + 60ms;
  cancellation.SetDeadline(deadline);
  const CancelScope scope(cancellation);
  done = 0;
  EXPECT_EQ(ParallelFor(Slow, nullptr, 8), 0) << "before it all is well";
  EXPECT_EQ(done, 8);
  EXPECT_EQ(RunLong(), "deadline-exceeded");
  EXPECT_GE(Clock::now(), deadline - 10ms);
}

TEST_P(Cancel, EveryIndexOnceWhereNothingHappens) {
  Cancellation cancellation;
  const CancelScope scope(cancellation);
  for (const int64_t extent : {1, 2, 7, 64, 1000, 100003}) {
    std::vector<std::atomic<int>> hits(static_cast<size_t>(extent));
    ParallelFor(extent, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
    });
    for (const auto& hit : hits) ASSERT_EQ(hit, 1);
  }
}

TEST_P(Cancel, OfAScopeAroundEndsToo) {
  Cancellation outer, inner;
  const CancelScope around(outer), scope(inner);
  outer.Cancel();
  EXPECT_EQ(RunLong(), "cancelled");
}

TEST_P(Cancel, IsOneThreadsOwn) {
  Cancellation cancellation;
  cancellation.Cancel();
  const CancelScope scope(cancellation);
  std::thread([] {
    EXPECT_EQ(CancelScope::Current(), nullptr);
    EXPECT_EQ(ParallelFor(Slow, nullptr, 4), 0);
  }).join();
}

TEST_P(Cancel, IsSeenWithinAPart) {
  // Compiled code that polls on the thread that runs its part.
  Cancellation cancellation;
  const CancelScope scope(cancellation);
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    cancellation.Cancel();
  });
  EXPECT_NE(ParallelFor(
                [](void*, int64_t, int64_t) -> int32_t {
                  for (;;) {
                    if (RuntimeTable()->poll() != 0) return -1;
                  }
                },
                nullptr, 64),
            0);
  EXPECT_EQ(Taken(), "cancelled");
  other.join();
}

TEST_P(Cancel, EndsLoopsOnAnotherPool) {
  SetParallelRun(
      [](void*, lathe_parallel_body body, void* closure, int64_t extent) -> int32_t {
        for (int64_t i = 0; i < extent; ++i) {
          if (const int32_t failed = body(closure, i, i + 1)) return failed;
        }
        return 0;
      },
      nullptr);
  Cancellation cancellation;
  cancellation.SetDeadline(Clock::now() + 20ms);
  const CancelScope scope(cancellation);
  EXPECT_EQ(RunLong(), "deadline-exceeded");
}

std::atomic<int> polls{0};
std::atomic<bool> elsewhere{false};
std::thread::id own_thread;

TEST_P(Cancel, PollsOnItsOwnThreadNowAndThen) {
  polls = 0;
  own_thread = std::this_thread::get_id();
  const CancelScope scope([]() -> int32_t {
    if (std::this_thread::get_id() != own_thread) elsewhere = true;
    return ++polls < 3 ? 0 : Raise("enough", "that is enough", nullptr, 0);
  });
  const auto begun = Clock::now();
  EXPECT_EQ(RunLong(), "enough");
  EXPECT_EQ(polls, 3);
  EXPECT_GE(Clock::now() - begun, 120ms);  // 3 times 50 ms, by a coarse clock
  EXPECT_FALSE(elsewhere);
}

INSTANTIATE_TEST_SUITE_P(Threads, Cancel, testing::Values(1, 2, 4));

TEST(CancelTable, EndsCallsOfPackedFunctions) {
  ASSERT_TRUE(RegisterGlobal("testing.cancel_nop", Function::From([] {})).ok());
  void* cache = nullptr;
  lathe_value ret{};
  const auto call = [&] {
    return RuntimeTable()->call_packed("testing.cancel_nop", &cache, nullptr, 0, &ret);
  };
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(RuntimeTable()->poll(), 0);
  Cancellation cancellation;
  cancellation.Cancel();
  const CancelScope scope(cancellation);
  EXPECT_NE(call(), 0);
  EXPECT_EQ(Taken(), "cancelled");
  EXPECT_NE(RuntimeTable()->poll(), 0);
  EXPECT_EQ(Taken(), "cancelled");
}

}  // namespace
}  // namespace lathe::runtime
