// A thread that sleeps between loops, as those who wake it see it. Private to the thread pool.
//
// A scheduler wakes a thread where it ran last unless it sees an idle processor, and in a virtual machine it may
// see none: Linux on KVM takes a halted processor for one that was taken away from the machine. A worker that
// ran last where its waker computes now is then woken on that very processor, and both share it until the system
// balances its load, milliseconds later. So the waker says first that the worker may run anywhere else; the
// worker takes that back as soon as it runs.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace lathe::runtime::internal {

class Sleeper {
 public:
  // Of the thread itself, before and after it sleeps.
  void BeforeSleep() {
    TakeBack();
    thread_.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
    processor_.store(sched_getcpu(), std::memory_order_release);
  }
  void AfterSleep() {
    processor_.store(kAwake, std::memory_order_relaxed);
    TakeBack();
  }

  // Of any other thread, which is about to wake this one and computes on `processor`: this one wakes up on
  // another, where the system lets it use another. Failures are nobody's business: the wake is slower then.
  void KeepOff(int processor) {
    if (processor_.load(std::memory_order_acquire) != processor || processor < 0) return;
    int free = kFree;
    if (!state_.compare_exchange_strong(free, kChanging)) return;
    const pid_t thread = thread_.load(std::memory_order_relaxed);
    bool moved = false;
    if (sched_getaffinity(thread, sizeof allowed_, &allowed_) == 0 &&
        CPU_ISSET(processor, &allowed_) && CPU_COUNT(&allowed_) > 1) {
      cpu_set_t others = allowed_;
      CPU_CLR(processor, &others);
      moved = sched_setaffinity(thread, sizeof others, &others) == 0;
    }
    state_.store(moved ? kMoved : kFree);
  }

 private:
  static constexpr int kAwake = -1;
  enum State { kFree, kChanging, kMoved };

  void TakeBack() {
    while (state_.load() == kChanging) std::this_thread::yield();
    if (state_.load() != kMoved) return;
    sched_setaffinity(0, sizeof allowed_, &allowed_);
    state_.store(kFree);
  }

  std::atomic<pid_t> thread_{0};
  std::atomic<int> processor_{kAwake};  // where the thread ran before it slept
  std::atomic<int> state_{kFree};
  cpu_set_t allowed_;  // of the waker while kChanging, of the thread while kMoved
};

}  // namespace lathe::runtime::internal
