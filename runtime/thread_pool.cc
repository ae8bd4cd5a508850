#include "runtime/thread_pool.h"

#include <pthread.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"
#include "runtime/cpu_device.h"
#include "runtime/error_object.h"
#include "runtime/futex.h"
#include "runtime/parallel_region.h"
#include "runtime/raise.h"

namespace lathe::runtime {
namespace {

using internal::FutexWait;
using internal::FutexWake;
using internal::ParallelBodyScope;
using internal::ParallelRegion;
using internal::SpinHint;

constexpr int kMaxThreads = 1024;
constexpr uint32_t kSlots =
    8;  // loops that workers may serve at once; a ninth runs on its caller alone
constexpr auto kSpin = std::chrono::microseconds(50);

[[noreturn]] void ThrowCount(const std::string& found, const std::string& help) {
  throw Error({.name = "threads-invalid-count",
               .message = "this number of threads cannot be used",
               .expected = "1 to " + std::to_string(kMaxThreads),
               .found = found,
               .help = help,
               .notes = {},
               .where = {}});
}

// Spins until `done()` or the time is up; whether it is done.
template <class F>
bool SpinUntil(F done) {
  if (done()) return true;
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      SpinHint();
      if (done()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// A loop that workers may join. A worker counts itself into `workers` first and looks whether the
// slot is still open second; the loop's thread closes the slot first and waits for `workers` to be
// 0 second. Both in sequentially consistent order, so that one of them sees the other.
struct Slot {
  alignas(64) std::atomic<uint32_t> taken{0};
  alignas(64) std::atomic<uint32_t> workers{0};
  std::atomic<uint32_t> caller_sleeps{0};
  ParallelRegion region;
};

class Pool {
 public:
  // `generation` counts forks, so that a loop that a fork cut in two can tell.
  explicit Pool(uint32_t generation) : generation_(generation) {}
  uint32_t generation() const { return generation_; }

  int32_t Run(lathe_parallel_body body, void* closure, int64_t extent, int threads);
  void Stop();

 private:
  static constexpr uint32_t kEpoch = 1u << kSlots;  // one in the upper bits of signal_

  void EnsureWorkers(int wanted) {
    if (started_.load(std::memory_order_acquire) == wanted) [[likely]]
      return;
    std::lock_guard lock(start_mutex_);
    if (started_.load(std::memory_order_relaxed) == wanted) return;
    StopLocked();
    for (int i = 0; i < wanted; ++i) {
      live_.fetch_add(1);
      std::thread([this] { WorkerMain(); }).detach();
    }
    started_.store(wanted, std::memory_order_release);
  }
  void StopLocked();
  void WorkerMain();
  void Serve(uint32_t open);
  void WaitForWorkers(Slot& slot);

  const uint32_t generation_;
  // Lower kSlots bits: which slots are open. Above: counts loops begun.
  alignas(64) std::atomic<uint32_t> signal_{0};
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> live_{0};
  std::atomic<int> started_{0};
  std::mutex start_mutex_;
  Slot slots_[kSlots];
};

void Pool::Serve(uint32_t open) {
  for (uint32_t i = 0; i < kSlots; ++i) {
    if ((open & (1u << i)) == 0) continue;
    Slot& slot = slots_[i];
    slot.workers.fetch_add(1);
    if ((signal_.load() & (1u << i)) != 0) slot.region.Work();
    if (slot.workers.fetch_sub(1) == 1 && slot.caller_sleeps.load() != 0)
      FutexWake(slot.workers, INT_MAX);
  }
}

void Pool::WorkerMain() {
  pthread_setname_np(pthread_self(), "lathe-worker");
  ParallelBodyScope scope;
  uint32_t seen = signal_.load() & ~(kEpoch - 1);
  uint32_t open = signal_.load() & (kEpoch - 1);
  if (open != 0) Serve(open);
  while (!stop_.load(std::memory_order_relaxed)) {
    const auto begun = [&] {
      return (signal_.load(std::memory_order_acquire) & ~(kEpoch - 1)) != seen;
    };
    if (!SpinUntil(begun)) {
      sleepers_.fetch_add(1);
      const uint32_t signal = signal_.load();
      if ((signal & ~(kEpoch - 1)) == seen) FutexWait(signal_, signal);
      sleepers_.fetch_sub(1);
    }
    const uint32_t signal = signal_.load(std::memory_order_acquire);
    if ((signal & ~(kEpoch - 1)) == seen) continue;
    seen = signal & ~(kEpoch - 1);
    Serve(signal & (kEpoch - 1));
  }
  if (live_.fetch_sub(1) == 1) FutexWake(live_, INT_MAX);
}

void Pool::StopLocked() {
  stop_.store(true);
  signal_.fetch_add(kEpoch);
  FutexWake(signal_, INT_MAX);
  for (uint32_t live = live_.load(); live != 0; live = live_.load()) {
    // A worker may have looked at the signal before the stop and gone to sleep on its new value
    // since.
    FutexWake(signal_, INT_MAX);
    if (!SpinUntil([&] { return live_.load() != live; })) std::this_thread::yield();
  }
  stop_.store(false);
  started_.store(0);
}

void Pool::Stop() {
  std::lock_guard lock(start_mutex_);
  StopLocked();
}

std::atomic<uint32_t> fork_count{0};

void Pool::WaitForWorkers(Slot& slot) {
  if (SpinUntil([&] { return slot.workers.load() == 0; })) return;
  slot.caller_sleeps.store(1);
  for (uint32_t workers = slot.workers.load(); workers != 0; workers = slot.workers.load())
    FutexWait(slot.workers, workers);
  slot.caller_sleeps.store(0);
}

int32_t Pool::Run(lathe_parallel_body body, void* closure, int64_t extent, int threads) {
  EnsureWorkers(threads - 1);
  uint32_t index = 0;
  for (; index < kSlots; ++index) {
    uint32_t free = 0;
    if (slots_[index].taken.compare_exchange_strong(free, 1)) break;
  }
  ParallelBodyScope scope;
  if (index == kSlots) return body(closure, 0, extent);
  Slot& slot = slots_[index];
  slot.region.Reset(body, closure, extent, threads);
  signal_.fetch_add(kEpoch | (1u << index));
  if (sleepers_.load() != 0) {
    const int64_t useful = extent < threads ? extent - 1 : threads - 1;
    FutexWake(signal_, static_cast<int>(useful));
  }
  slot.region.Work();
  signal_.fetch_sub(1u << index);
  if (fork_count.load(std::memory_order_relaxed) != generation_) {
    // The body forked and this is the child: workers that held parts of the loop do not exist here.
    return Raise("threads-forked-inside-loop",
                 "the process forked inside a parallel loop; its other threads, and their parts of "
                 "the loop, do not "
                 "exist in the child\nhelp: fork before the loop, or start a new process instead",
                 nullptr, 0);
  }
  WaitForWorkers(slot);
  const int32_t result = slot.region.error.Finish();
  slot.taken.store(0, std::memory_order_release);
  return result;
}

std::atomic<Pool*> current_pool{nullptr};
std::atomic<int> wanted_threads{0};  // 0: not yet known
std::atomic<ParallelRun> replaced_run{nullptr};
std::atomic<void*> replaced_context{nullptr};

// The workers were left behind in the parent. The old pool is leaked: a loop of this thread may
// still stand on it.
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
  const char* text = std::getenv("LATHE_NUM_THREADS");
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

// A loop on somebody else's pool: marks bodies as such and brings the first error home.
struct Guest {
  lathe_parallel_body body;
  void* closure;
  internal::FirstError error;

  static int32_t Body(void* self, int64_t begin, int64_t end) {
    auto* guest = static_cast<Guest*>(self);
    ParallelBodyScope scope;
    if (guest->error.failed()) return -1;
    const int32_t result = guest->body(guest->closure, begin, end);
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
  if (internal::in_parallel_body || extent == 1) return body(closure, 0, extent);
  try {
    if (ParallelRun run = replaced_run.load(std::memory_order_acquire)) {
      Guest guest{body, closure, {}};
      const int32_t result = run(replaced_context.load(), &Guest::Body, &guest, extent);
      const int32_t failed = guest.error.Finish();
      return failed != 0 ? failed : result;
    }
    const int threads = NumThreads();
    if (threads == 1) {
      ParallelBodyScope scope;
      return body(closure, 0, extent);
    }
    return GetPool().Run(body, closure, extent, threads);
  } catch (...) {
    return RaiseError(ErrorFromCurrentException());
  }
}

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
