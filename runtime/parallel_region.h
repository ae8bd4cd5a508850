// One parallel loop: its parts, and the first error of any of them. Private to the thread pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>

#include "lathe/abi/kernel.h"
#include "runtime/cancel.h"
#include "runtime/error_object.h"
#include "runtime/futex.h"
#include "runtime/raise.h"

namespace lathe::runtime::internal {

// True inside a parallel body on this thread; a loop that begins there runs serially.
inline thread_local bool in_parallel_body = false;

class ParallelBodyScope {
 public:
  ParallelBodyScope() : previous_(in_parallel_body) { in_parallel_body = true; }
  ~ParallelBodyScope() { in_parallel_body = previous_; }
  ParallelBodyScope(const ParallelBodyScope&) = delete;
  ParallelBodyScope& operator=(const ParallelBodyScope&) = delete;

 private:
  bool previous_;
};

// The first failure of a loop's parts. Thread-safe.
class FirstError {
 public:
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  // The thread whose body failed calls this: it moves the thread's pending error here.
  void Take() {
    ErrorRef error = HasPendingError() ? TakePendingError() : ErrorRef();
    std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) error_ = std::move(error);
  }
  // The loop's own thread calls this at the end of the loop: returns 0, or -1 with the error
  // pending here.
  int32_t Finish() {
    if (!failed()) return 0;
    std::lock_guard lock(mutex_);
    if (error_) RaiseError(std::move(error_));
    error_ = ErrorRef();
    failed_.store(false);
    return -1;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  ErrorRef error_;
};

// One thread's part of a loop that may be cancelled. The part is done in pieces of some
// milliseconds; the first piece has one iteration, so that short parts need few extra calls.
class PieceByPiece {
 public:
  // Returns 0 also if the loop failed on another thread (`error`, may be null): the part is not
  // needed then.
  int32_t Run(lathe_parallel_body body, void* closure, int64_t begin, int64_t end,
              CancelScope* scope, const FirstError* error) {
    const CancelScope::Borrowed borrowed(scope);
    int64_t before = 0;
    for (int64_t at = begin; at < end;) {
      if (CancelScope::Look(scope) != 0) return -1;
      if (error != nullptr && error->failed()) return 0;
      if (before == 0) before = CoarseNanoseconds();
      const int64_t stop = end - at > piece_ ? at + piece_ : end;
      if (const int32_t failed = body(closure, at, stop)) return failed;
      at = stop;
      const int64_t now = CoarseNanoseconds();
      if (now - before < kShort && piece_ < INT64_MAX / 2)
        piece_ *= 2;
      else if (now - before > kLong && piece_ > 1)
        piece_ /= 2;
      before = now;
    }
    return 0;
  }

 private:
  static constexpr int64_t kShort = 4'000'000, kLong = 20'000'000;  // nanoseconds
  int64_t piece_ = 1;                                               // iterations
};

// A loop whose parts several threads take; the object is reused for the next loop.
//
// One atomic word, the ticket, has the loop's number and the range of steps that no thread has
// taken yet. Taking a part shortens that range. A thread that sees steps left reads the other
// members, which are in the same cache line. So a loop begins with one store, no thread registers,
// and the loop's own thread waits only for threads that took parts. A late thread, which read the
// members of an earlier loop, takes nothing: the ticket has another number by then. (The number has
// 32 bits: the check would fail only if four thousand million loops passed between two instructions
// of one thread.)
//
// The loop's own thread takes parts from the front, the others from the back. So in repeated loops
// over the same memory, each thread finds most of its earlier data in its own caches. Parts become
// smaller towards the point where both sides meet ("guided self-scheduling", Polychronopoulos and
// Kuck 1987): an even loop has few parts, and an uneven one small parts at the end.
//
// In a loop that may be cancelled (cancel.h), each part is done in pieces with checks between them
// (PieceByPiece).
class ParallelRegion {
 public:
  // The part with which the loop's own thread begins; it is reserved and need not be taken.
  struct First {
    int64_t end;
    uint32_t steps;
  };

  // Called by the loop's own thread, like all methods below except Work, and only after the
  // previous loop has ended. From here on other threads may take parts. A thread that announced
  // itself before (sequentially consistent) sees the loop.
  First Begin(lathe_parallel_body body, void* closure, int64_t extent, int threads,
              CancelScope* scope) {
    const int64_t step = (extent - 1) / kMostSteps + 1;
    const auto steps = static_cast<uint32_t>((extent - 1) / step + 1);
    const auto divisor = static_cast<uint32_t>(2 * threads);
    const uint32_t smallest = std::max<uint32_t>(1, steps / (32 * divisor));
    body_.store(body, std::memory_order_relaxed);
    closure_.store(closure, std::memory_order_relaxed);
    extent_.store(extent, std::memory_order_relaxed);
    step_.store(step, std::memory_order_relaxed);
    divisor_.store(divisor, std::memory_order_relaxed);
    smallest_.store(smallest, std::memory_order_relaxed);
    scope_.store(scope, std::memory_order_relaxed);
    const uint32_t own = std::max(smallest, steps / divisor);
    awaited_ += steps;
    ticket_.store(Ticket(++number_, own, steps), std::memory_order_seq_cst);
    return {own * step, own};
  }

  // Works on the first part and then on others until none is left.
  void WorkFrom(const First& first) {
    PieceByPiece pieces;
    const Job job = {body_.load(std::memory_order_relaxed),
                     closure_.load(std::memory_order_relaxed),
                     scope_.load(std::memory_order_relaxed)};
    const uint32_t done =
        first.steps +
        (Call(job, 0, first.end, pieces) ? TakeParts(/*front=*/true, pieces) : SkipRest());
    awaited_ -= done;
  }

  // True if all parts that others took are done; their writes are visible then.
  bool IsFinished() const { return finished_.load(std::memory_order_acquire) == awaited_; }
  void SleepUntilFinished() {
    caller_sleeps_.store(1);
    for (uint32_t finished = finished_.load(); finished != awaited_; finished = finished_.load())
      FutexWait(finished_, finished);
    caller_sleeps_.store(0);
  }

  // For any thread: true if there are parts to take.
  bool IsOpen(std::memory_order order) const { return StepsLeft(ticket_.load(order)) != 0; }
  // Takes parts until none is left.
  void Work() {
    PieceByPiece pieces;
    const uint32_t done = TakeParts(/*front=*/false, pieces);
    if (done == 0) return;
    finished_.fetch_add(done);
    // The loop may have ended, and others may have begun: an unnecessary wake is harmless.
    if (caller_sleeps_.load() != 0) FutexWake(finished_, INT_MAX);
  }

  FirstError error;

 private:
  // Steps are counted in 16 bits; in a longer loop one step is several iterations.
  static constexpr int64_t kMostSteps = (1 << 16) - 1;

  // The loop's number, the first step that is not taken, and the end of the steps.
  static uint64_t Ticket(uint32_t number, uint32_t first, uint32_t end) {
    return uint64_t{number} << 32 | end << 16 | first;
  }
  static uint32_t FirstStep(uint64_t ticket) { return ticket & 0xffff; }
  static uint32_t EndStep(uint64_t ticket) { return ticket >> 16 & 0xffff; }
  static uint32_t StepsLeft(uint64_t ticket) { return EndStep(ticket) - FirstStep(ticket); }

  struct Job {
    lathe_parallel_body body;
    void* closure;
    CancelScope* scope;  // null: the loop cannot be cancelled
  };

  bool Call(const Job& job, int64_t begin, int64_t end, PieceByPiece& pieces) {
    const int32_t failed = job.scope == nullptr
                               ? job.body(job.closure, begin, end)
                               : pieces.Run(job.body, job.closure, begin, end, job.scope, &error);
    if (failed == 0) return true;
    error.Take();
    return false;
  }

  // Takes and does parts; returns the number of steps that this thread did.
  uint32_t TakeParts(bool front, PieceByPiece& pieces) {
    uint32_t done = 0;
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (const uint32_t left = StepsLeft(ticket)) {
      // If the loop has ended meanwhile, these members may mix two loops: the exchange below then
      // fails.
      const lathe_parallel_body body = body_.load(std::memory_order_relaxed);
      void* const closure = closure_.load(std::memory_order_relaxed);
      CancelScope* const scope = scope_.load(std::memory_order_relaxed);
      const int64_t extent = extent_.load(std::memory_order_relaxed),
                    step = step_.load(std::memory_order_relaxed);
      const uint32_t wanted = std::max(smallest_.load(std::memory_order_relaxed),
                                       left / divisor_.load(std::memory_order_relaxed)),
                     part = std::min(left, wanted);
      const uint32_t first = front ? FirstStep(ticket) : EndStep(ticket) - part;
      // Takes from the front or from the back of the range in the word.
      const uint64_t taken = front ? ticket + part : ticket - (uint64_t{part} << 16);
      if (!ticket_.compare_exchange_weak(ticket, taken, std::memory_order_acq_rel,
                                         std::memory_order_acquire))
        continue;
      done += part;
      if (!Call({body, closure, scope}, first * step, std::min(extent, (first + part) * step),
                pieces))
        return done + SkipRest();
      ticket = ticket_.load(std::memory_order_acquire);
    }
    return done;
  }

  // Takes the remaining steps without doing them.
  uint32_t SkipRest() {
    uint64_t ticket = ticket_.load(std::memory_order_relaxed);
    while (!ticket_.compare_exchange_weak(ticket, ticket + StepsLeft(ticket),
                                          std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return StepsLeft(ticket);
  }

  // The members that all threads read; one cache line.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  std::atomic<lathe_parallel_body> body_{nullptr};
  std::atomic<void*> closure_{nullptr};
  std::atomic<int64_t> extent_{0}, step_{1};
  std::atomic<uint32_t> divisor_{1}, smallest_{1};
  std::atomic<CancelScope*> scope_{nullptr};
  // The number of steps that workers did, over all loops so far.
  alignas(64) std::atomic<uint32_t> finished_{0};
  std::atomic<uint32_t> caller_sleeps_{0};
  // For the loop's own thread: the value of finished_ at the end of the loop.
  alignas(64) uint32_t awaited_ = 0;
  uint32_t number_ = 0;
};

}  // namespace lathe::runtime::internal
