// A thread that sleeps between loops, as those who wake it see it. Private to the thread pool.
//
// A scheduler wakes a thread on an idle processor, if it sees one, and in a virtual machine it may
// see none: Linux on KVM takes a halted processor for one that was taken away from the machine. It
// then wakes the thread where it ran last or where its waker computes, and there both share one
// processor until the system balances its load, milliseconds later. So a worker goes to sleep
// without permission to run where the next waker is expected: where the last one was. A waker that
// turns out to be elsewhere says so before it wakes the worker; only then the waking thread has
// system calls to make. The worker takes it back as soon as it runs.
//
// Every call of the system may fail (a container may forbid them); a wake is slower then, and
// nothing else. What somebody else allows the thread meanwhile (`taskset`) stays.
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
  // Of the thread itself, before and after it sleeps. `processor`: where its waker is expected, or
  // -1.
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
      std::this_thread::yield();  // a waker is changing where this thread may run
    }
    cpu_set_t now;
    if (moved_ && Get(0, now) && CPU_EQUAL(&now, &without_)) Set(0, allowed_);
    moved_ = false;
  }

  // Of any other thread, which is about to wake this one and computes on `processor`: this one
  // wakes up on another, where the system lets it use another.
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

  // Leaves the thread (0: this one) all processors that it may use but this one.
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
  std::atomic<int> off_{-1};  // the processor that the thread keeps off
  std::atomic<int> state_{kAwake};
  // Of the thread while kAwake, of the waker while kChanging.
  bool moved_ = false;  // whether the thread may run on `without_` only
  cpu_set_t allowed_;
  cpu_set_t without_;
};

}  // namespace lathe::runtime::internal
