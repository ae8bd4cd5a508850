// A sleeping worker thread, seen from the threads that wake it. Private to the thread pool.
//
// The scheduler wakes a thread on an idle processor if it sees one. In a virtual machine it may see
// none: Linux on KVM takes a halted processor for one that the host has taken away. It then wakes
// the thread where it ran last or where its waker runs, and both share one processor until the
// system balances its load, milliseconds later. So a worker that goes to sleep first forbids itself
// the processor where the next waker is expected: that of the last waker. A waker that runs on
// another processor forbids that one before it wakes the worker; only in this case the waking
// thread makes system calls. The worker removes the restriction as soon as it runs.
//
// Every system call here may fail (a container may forbid them); then only the wake is slower. If
// somebody else changes the thread's allowed processors meanwhile (`taskset`), the change is kept.
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
  // Called by the thread itself, before and after it sleeps. `processor`: where its waker is
  // expected, or -1.
  void BeforeSleep(int processor) {
    thread_.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
    MoveOff(0, processor);
    off_.store(processor, std::memory_order_relaxed);
    state_.store(kAsleep, std::memory_order_release);
  }
  void AfterSleep() {
    int asleep = kAsleep;
    while (!state_.compare_exchange_weak(asleep, kAwake)) {
      asleep = kAsleep;
      std::this_thread::yield();  // a waker is changing the allowed processors
    }
    cpu_set_t now;
    if (moved_ && Get(0, now) && CPU_EQUAL(&now, &without_)) Set(0, allowed_);
    moved_ = false;
  }

  // Called by another thread that is about to wake this one and runs on `processor`: this thread
  // will wake on another processor, if the system allows it one.
  void KeepOff(int processor) {
    if (off_.load(std::memory_order_relaxed) == processor) return;
    int asleep = kAsleep;
    if (!state_.compare_exchange_strong(asleep, kChanging)) return;
    MoveOff(thread_.load(std::memory_order_relaxed), processor);
    off_.store(processor, std::memory_order_relaxed);
    state_.store(kAsleep, std::memory_order_release);
  }

 private:
  enum State { kAwake, kAsleep, kChanging };

  static bool Get(pid_t thread, cpu_set_t& set) {
    return sched_getaffinity(thread, sizeof set, &set) == 0;
  }
  static bool Set(pid_t thread, const cpu_set_t& set) {
    return sched_setaffinity(thread, sizeof set, &set) == 0;
  }

  // Leaves the thread (0: the calling one) all its allowed processors except `processor`.
  void MoveOff(pid_t thread, int processor) {
    cpu_set_t now;
    if (processor < 0 || !Get(thread, now)) return;
    if (!moved_ || !CPU_EQUAL(&now, &without_)) allowed_ = now;
    cpu_set_t others = allowed_;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) == 0 || !Set(thread, others)) return;
    without_ = others;
    moved_ = true;
  }

  std::atomic<pid_t> thread_{0};
  std::atomic<int> off_{-1};  // the processor that is forbidden now
  std::atomic<int> state_{kAwake};
  // Accessed by the thread while kAwake, by the waker while kChanging.
  bool moved_ = false;  // whether the thread may run on `without_` only
  cpu_set_t allowed_;
  cpu_set_t without_;
};

}  // namespace lathe::runtime::internal
