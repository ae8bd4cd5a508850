#include "runtime/sleeper.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

namespace lathe::runtime::internal {
namespace {

cpu_set_t Allowed(pid_t thread = 0) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(thread, sizeof set, &set), 0);
  return set;
}

int FirstOf(const cpu_set_t& set) {
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) return i;
  }
  return -1;
}
int LastOf(const cpu_set_t& set) {
  for (int i = CPU_SETSIZE - 1; i >= 0; --i) {
    if (CPU_ISSET(i, &set)) return i;
  }
  return -1;
}

// `set` without `processor`; `set` itself if it has no other processor.
cpu_set_t Without(cpu_set_t set, int processor) {
  if (CPU_COUNT(&set) > 1) CPU_CLR(processor, &set);
  return set;
}

// Runs a thread that sleeps while `asleep` runs on another thread. The sleeper expects its waker on
// processor `expected`. Returns the processors that it may use when it is awake.
cpu_set_t WhileAsleep(int expected, const std::function<void(Sleeper&, pid_t)>& asleep) {
  Sleeper sleeper;
  std::promise<pid_t> sleeps;
  std::promise<void> woken;
  cpu_set_t after;
  std::thread thread([&] {
    sleeper.BeforeSleep(expected);
    sleeps.set_value(static_cast<pid_t>(syscall(SYS_gettid)));
    woken.get_future().wait();
    sleeper.AfterSleep();
    after = Allowed();
  });
  asleep(sleeper, sleeps.get_future().get());
  woken.set_value();
  thread.join();
  return after;
}

TEST(Sleeper, KeepsOffItsExpectedWakerWhileAsleep) {
  const cpu_set_t all = Allowed();
  const cpu_set_t after = WhileAsleep(FirstOf(all), [&](Sleeper& sleeper, pid_t thread) {
    sleeper.KeepOff(FirstOf(all));
    const cpu_set_t now = Allowed(thread), expected = Without(all, FirstOf(all));
    EXPECT_TRUE(CPU_EQUAL(&now, &expected));
  });
  EXPECT_TRUE(CPU_EQUAL(&after, &all));
}

TEST(Sleeper, KeepsOffAnotherWakerInstead) {
  const cpu_set_t all = Allowed();
  for (int expected_waker : {-1, FirstOf(all)}) {
    const cpu_set_t after = WhileAsleep(expected_waker, [&](Sleeper& sleeper, pid_t thread) {
      sleeper.KeepOff(LastOf(all));
      const cpu_set_t now = Allowed(thread), expected = Without(all, LastOf(all));
      EXPECT_TRUE(CPU_EQUAL(&now, &expected));
    });
    EXPECT_TRUE(CPU_EQUAL(&after, &all));
  }
}

TEST(Sleeper, LeavesAnAwakeThreadAlone) {
  const cpu_set_t all = Allowed();
  Sleeper sleeper;
  sleeper.BeforeSleep(FirstOf(all));
  sleeper.AfterSleep();
  sleeper.KeepOff(LastOf(all));
  const cpu_set_t now = Allowed();
  EXPECT_TRUE(CPU_EQUAL(&now, &all));
}

TEST(Sleeper, WhatSomebodyElseAllowsStays) {
  const cpu_set_t all = Allowed();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "NOT RUN: one processor leaves nothing to choose";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(LastOf(all), &one);
  // `taskset` changes the sleeping thread. A waker on the only remaining processor cannot move the
  // thread elsewhere.
  for (bool woken_from_there : {false, true}) {
    const cpu_set_t after = WhileAsleep(LastOf(all), [&](Sleeper& sleeper, pid_t thread) {
      ASSERT_EQ(sched_setaffinity(thread, sizeof one, &one), 0);
      if (woken_from_there) sleeper.KeepOff(LastOf(all));
    });
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
  }
}

}  // namespace
}  // namespace lathe::runtime::internal
