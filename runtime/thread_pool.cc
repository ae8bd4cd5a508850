#include "runtime/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/thread.h"
#include "runtime/cancel.h"
#include "runtime/cpu_device.h"
#include "runtime/error_object.h"
#include "runtime/futex.h"
#include "runtime/parallel_region.h"
#include "runtime/raise.h"
#include "runtime/seats.h"
#include "runtime/sleeper.h"

namespace lathe::runtime {
namespace {

using internal::FutexWait;
using internal::FutexWake;
using internal::ParallelBodyScope;
using internal::ParallelRegion;
using internal::Seats;
using internal::Sleeper;
using internal::SpinHint;
using internal::ThreadIndexScope;

constexpr int kMaxThreads = 1024;
constexpr uint32_t kSlots =
    8;  // loops that workers serve at once; a ninth runs on its caller alone
constexpr auto kSpin = std::chrono::microseconds(50);
// The pause after a thread could not be made. Limits often depend on other processes, and may pass.
constexpr auto kTryAgain = std::chrono::seconds(1);

[[noreturn]] void ThrowCount(const std::string& found, const std::string& help) {
  throw Error({.name = "threads-invalid-count",
               .message = "this number of threads cannot be used",
               .expected = "1 to " + std::to_string(kMaxThreads),
               .found = found,
               .help = help,
               .notes = {},
               .where = {}});
}

// Spins until `done()` is true or the time is up; returns whether it is done.
template <class F>
bool SpinUntil(F done) {
  std::chrono::steady_clock::time_point end{};
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      SpinHint();
    }
    // The clock is read rarely, and not at all for waits that are shorter than reading it.
    const auto now = std::chrono::steady_clock::now();
    if (end == std::chrono::steady_clock::time_point{}) end = now + kSpin;
    if (now >= end) return false;
  }
}

// Runs the whole loop on its caller.
int32_t RunAlone(lathe_parallel_body body, void* closure, int64_t extent, CancelScope* cancel) {
  if (cancel == nullptr) return body(closure, 0, extent);
  return internal::PieceByPiece().Run(body, closure, 0, extent, cancel, nullptr);
}

// A loop that workers may join.
struct Slot {
  alignas(64) std::atomic<uint32_t> taken{0};
  ParallelRegion region;
};

class Pool {
 public:
  // `generation` counts forks, so that a loop notices a fork inside it.
  explicit Pool(uint32_t generation) : generation_(generation) {}
  uint32_t generation() const { return generation_; }

  int32_t Run(lathe_parallel_body body, void* closure, int64_t extent, int threads);
  void Stop();

 private:
  void EnsureWorkers(int wanted) {
    if (started_.load(std::memory_order_acquire) == wanted) [[likely]]
      return;
    std::lock_guard lock(start_mutex_);
    if (started_.load(std::memory_order_relaxed) == wanted) return;
    if (wanted_ != wanted) {
      StopLocked();
      wanted_ = wanted;
    } else if (std::chrono::steady_clock::now() < try_again_) {
      return;
    }
    // If the system refuses more threads, loops use those that exist.
    int started = started_.load();
    while (started < wanted && StartWorker(started)) ++started;
    started_.store(started, std::memory_order_release);
    if (started < wanted) try_again_ = std::chrono::steady_clock::now() + kTryAgain;
  }
  bool StartWorker(int i);
  void StopLocked();
  void WorkerMain(Sleeper& self);
  void Sleep(Sleeper& self);
  void WakeWorkers(int64_t useful, int threads);
  // True if there is work for a worker.
  bool Calls(std::memory_order order) const {
    for (const Slot& slot : slots_) {
      if (slot.region.IsOpen(order)) return true;
    }
    return stop_.load(order);
  }

  const uint32_t generation_;
  // The word on which workers sleep; it counts the calls to wake up.
  alignas(64) std::atomic<uint32_t> signal_{0};
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<int> waker_{-1};  // the processor of the thread that last woke workers
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> live_{0};
  std::atomic<int> started_{0};
  std::mutex start_mutex_;
  // The wanted number of workers, and when to try again if there are fewer.
  int wanted_ = 0;
  std::chrono::steady_clock::time_point try_again_{};
  // Indexed by worker; made on first use and kept, because a loop may read them while the number of
  // workers changes.
  std::atomic<Sleeper*> workers_[kMaxThreads] = {};
  Slot slots_[kSlots];
};

// A worker first counts itself among the sleepers and then looks for work; a loop first begins and
// then looks for sleepers. Both orders are sequentially consistent, so one of the two sees the
// other. A wake call between the worker's look and its sleep has changed the signal.
void Pool::Sleep(Sleeper& self) {
  self.BeforeSleep(waker_.load(std::memory_order_relaxed));
  const uint32_t signal = signal_.load();
  sleepers_.fetch_add(1);
  if (!Calls(std::memory_order_seq_cst)) FutexWait(signal_, signal);
  sleepers_.fetch_sub(1);
  self.AfterSleep();
}

void Pool::WakeWorkers(int64_t useful, int threads) {
  const int here = sched_getcpu();
  waker_.store(here, std::memory_order_relaxed);
  for (int i = 0; i < threads - 1; ++i) {
    if (Sleeper* worker = workers_[i].load()) worker->KeepOff(here);
  }
  signal_.fetch_add(1);
  FutexWake(signal_, static_cast<int>(useful));
}

void Pool::WorkerMain(Sleeper& self) {
  pthread_setname_np(pthread_self(), "lathe-worker");
  ParallelBodyScope scope;
  for (;;) {
    if (!SpinUntil([this] { return Calls(std::memory_order_acquire); })) {
      Sleep(self);
      continue;
    }
    if (stop_.load(std::memory_order_relaxed)) break;
    for (Slot& slot : slots_) {
      if (slot.region.IsOpen(std::memory_order_acquire)) slot.region.Work();
    }
  }
  if (live_.fetch_sub(1) == 1) FutexWake(live_, INT_MAX);
}

// False if there is no memory or no thread for it.
bool Pool::StartWorker(int i) {
  if (workers_[i].load() == nullptr) {
    auto* made = new (std::nothrow) Sleeper;
    if (made == nullptr) return false;
    workers_[i].store(made);
  }
  live_.fetch_add(1);
  try {
    Thread([this, i] { WorkerMain(*workers_[i].load()); }).detach();
    return true;
  } catch (...) {
    live_.fetch_sub(1);
    return false;
  }
}

void Pool::StopLocked() {
  stop_.store(true);
  signal_.fetch_add(1);
  FutexWake(signal_, INT_MAX);
  for (uint32_t live = live_.load(); live != 0; live = live_.load()) {
    if (!SpinUntil([&] { return live_.load() != live; })) std::this_thread::yield();
  }
  stop_.store(false);
  started_.store(0);
  wanted_ = 0;
}

void Pool::Stop() {
  std::lock_guard lock(start_mutex_);
  StopLocked();
}

std::atomic<uint32_t> fork_count{0};

int32_t Pool::Run(lathe_parallel_body body, void* closure, int64_t extent, int threads) {
  EnsureWorkers(threads - 1);
  uint32_t index = 0;
  for (; index < kSlots; ++index) {
    uint32_t free = 0;
    if (slots_[index].taken.compare_exchange_strong(free, 1)) break;
  }
  ParallelBodyScope scope;
  CancelScope* const cancel = CancelScope::Current();
  if (index == kSlots) return RunAlone(body, closure, extent, cancel);
  ParallelRegion& region = slots_[index].region;
  const ParallelRegion::First first = region.Begin(body, closure, extent, threads, cancel);
  if (sleepers_.load() != 0) WakeWorkers(extent < threads ? extent - 1 : threads - 1, threads);
  region.WorkFrom(first);
  if (fork_count.load(std::memory_order_relaxed) != generation_) {
    // The body forked, and this is the child: the workers that took parts of the loop do not exist
    // here.
    return Raise("threads-forked-inside-loop",
                 "the process forked inside a parallel loop; its other threads, and their parts of "
                 "the loop, do not "
                 "exist in the child\nhelp: fork before the loop, or start a new process instead",
                 nullptr, 0);
  }
  if (!SpinUntil([&] { return region.IsFinished(); })) region.SleepUntilFinished();
  const int32_t result = region.error.Finish();
  slots_[index].taken.store(0, std::memory_order_release);
  return result;
}

std::atomic<Pool*> current_pool{nullptr};
std::atomic<int> wanted_threads{0};  // 0: not yet known
std::atomic<ParallelRun> replaced_run{nullptr};
std::atomic<void*> replaced_context{nullptr};

// The workers exist in the parent only. The old pool is leaked, because a loop of this thread may
// still use it.
void AfterForkInChild() {
  fork_count.fetch_add(1, std::memory_order_relaxed);
  current_pool.store(nullptr, std::memory_order_relaxed);
}

Pool& GetPool() {
  if (Pool* pool = current_pool.load(std::memory_order_acquire)) return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, AfterForkInChild);
  LATHE_CHECK(registered == 0);
  auto* made = new Pool(fork_count.load());
  Pool* expected = nullptr;
  if (current_pool.compare_exchange_strong(expected, made)) return *made;
  delete made;
  return *expected;
}

int ThreadsFromEnvironment() {
  const char* text = secure_getenv("LATHE_NUM_THREADS");
  if (text == nullptr || text[0] == '\0')
    return UsableProcessors() < kMaxThreads ? UsableProcessors() : kMaxThreads;
  int n = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, n);
  if (error != std::errc() || at != end || n < 1 || n > kMaxThreads)
    ThrowCount("LATHE_NUM_THREADS=" + std::string(text),
               "unset LATHE_NUM_THREADS to use every processor");
  return n;
}

// A loop on a foreign pool: marks the thread as inside a body and passes the first error to the
// caller.
struct Guest {
  lathe_parallel_body body;
  void* closure;
  CancelScope* cancel;
  internal::FirstError error;

  static int32_t Body(void* self, int64_t begin, int64_t end) {
    auto* guest = static_cast<Guest*>(self);
    ParallelBodyScope scope;
    if (guest->error.failed()) return -1;
    const CancelScope::Borrowed borrowed(guest->cancel);
    int32_t result = CancelScope::Look(guest->cancel);
    if (result == 0) result = guest->body(guest->closure, begin, end);
    if (result != 0) guest->error.Take();
    return result;
  }
};

}  // namespace

void SetNumThreads(int n) {
  if (n < 1 || n > kMaxThreads) ThrowCount(std::to_string(n), "");
  wanted_threads.store(n);
}

int NumThreads() {
  const int known = wanted_threads.load(std::memory_order_relaxed);
  if (known != 0) return known;
  int expected = 0;
  const int found = ThreadsFromEnvironment();
  wanted_threads.compare_exchange_strong(expected, found);
  return wanted_threads.load();
}

void SetParallelRun(ParallelRun run, void* context) {
  replaced_context.store(context);
  replaced_run.store(run);
}

void StopThreads() {
  if (Pool* pool = current_pool.load()) pool->Stop();
}

int32_t ParallelFor(lathe_parallel_body body, void* closure, int64_t extent) {
  if (extent <= 0) return 0;
  CancelScope* const cancel = CancelScope::Current();
  if (internal::in_parallel_body || extent == 1)
    return CancelScope::Look(cancel) != 0 ? -1 : body(closure, 0, extent);
  try {
    if (ParallelRun run = replaced_run.load(std::memory_order_acquire)) {
      Guest guest{body, closure, CancelScope::Current(), {}};
      const int32_t result = run(replaced_context.load(), &Guest::Body, &guest, extent);
      const int32_t failed = guest.error.Finish();
      return failed != 0 ? failed : result;
    }
    const int threads = NumThreads();
    if (threads == 1) {
      ParallelBodyScope scope;
      return RunAlone(body, closure, extent, cancel);
    }
    return GetPool().Run(body, closure, extent, threads);
  } catch (...) {
    return RaiseError(ErrorFromCurrentException());
  }
}

int32_t ParallelOn(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads) {
  if (extent <= 0) return 0;
  try {
    const auto seats = static_cast<int32_t>(
        std::min(extent, static_cast<int64_t>(std::min(threads, NumThreads()))));
    if (seats <= 1 || internal::in_parallel_body) {
      const ThreadIndexScope index(0);
      ParallelBodyScope scope;
      return RunAlone(body, closure, extent, CancelScope::Current());
    }
    Seats loop(body, closure, extent, seats);
    return ParallelFor(&Seats::Run, &loop, seats);
  } catch (...) {
    return RaiseError(ErrorFromCurrentException());
  }
}

int32_t ThreadIndex() { return internal::thread_index; }

void internal::ParallelForErased(int64_t extent, void (*call)(void*, int64_t, int64_t),
                                 void* body) {
  struct Closure {
    void (*call)(void*, int64_t, int64_t);
    void* body;
    std::mutex mutex;
    std::exception_ptr thrown;
  } closure{call, body, {}, nullptr};
  const int32_t result = ParallelFor(
      [](void* self, int64_t begin, int64_t end) -> int32_t {
        auto* closure = static_cast<Closure*>(self);
        try {
          closure->call(closure->body, begin, end);
          return 0;
        } catch (...) {
          std::lock_guard lock(closure->mutex);
          if (!closure->thrown) closure->thrown = std::current_exception();
          return -1;
        }
      },
      &closure, extent);
  if (closure.thrown) std::rethrow_exception(closure.thrown);
  if (result != 0) ThrowError(*TakePendingError().get());
}

}  // namespace lathe::runtime
