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

// Whether this thread is inside a parallel body; a loop begun there runs serially.
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
  // Called by the thread whose body failed: moves its pending error here.
  void Take() {
    ErrorRef error = HasPendingError() ? TakePendingError() : ErrorRef();
    std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) error_ = std::move(error);
  }
  // Called by the loop's own thread at its end: 0, or -1 with the error pending here.
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

// What one thread does of a loop that somebody may want to end: in pieces that last some
// milliseconds, the first of one iteration, so that few calls are added where all is soon done.
class PieceByPiece {
 public:
  // 0, also where the loop has failed elsewhere (`error`, may be null): the part is in vain then.
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

// A loop that several threads take parts of; used again for the next one.
//
// One word, the ticket, says which loop it is and which of its steps nobody has taken yet. Taking a
// part shortens that range. Whoever sees steps left reads the rest of the line, which came along
// with the word. So a loop begins with one store, nobody registers, and the loop's own thread waits
// only for those who took something. A thread that is late, with what it read of an earlier loop,
// takes nothing: the word has another number then. (32 bits of it: four thousand million loops
// would have to pass between two instructions of one thread to deceive it.)
//
// The loop's own thread takes parts from the front, others from the back, so that in loop after
// loop over the same memory each thread finds most of what it touched before in its own caches.
// Parts shrink towards the meeting point ("guided self-scheduling", Polychronopoulos and Kuck
// 1987): few of them where the work is even, small ones where it is not.
//
// A loop that somebody may want to end (cancel.h) does each part in pieces and looks between them
// (PieceByPiece).
class ParallelRegion {
 public:
  // The part that the loop's own thread begins with; it need not be taken.
  struct First {
    int64_t end;
    uint32_t steps;
  };

  // Of the loop's own thread, as all that follows but Work; once the loop before has ended. Others
  // may take parts from here on: seen by whoever announced itself (sequentially consistent) before.
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

  // Works on the first part and on others until none is left.
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

  // Whether all parts that others took are done; what they wrote is seen then.
  bool IsFinished() const { return finished_.load(std::memory_order_acquire) == awaited_; }
  void SleepUntilFinished() {
    caller_sleeps_.store(1);
    for (uint32_t finished = finished_.load(); finished != awaited_; finished = finished_.load())
      FutexWait(finished_, finished);
    caller_sleeps_.store(0);
  }

  // Of any thread: are there parts to take?
  bool IsOpen(std::memory_order order) const { return StepsLeft(ticket_.load(order)) != 0; }
  // Takes parts until none is left.
  void Work() {
    PieceByPiece pieces;
    const uint32_t done = TakeParts(/*front=*/false, pieces);
    if (done == 0) return;
    finished_.fetch_add(done);
    // The loop may have ended, and others begun: waking one in vain does no harm.
    if (caller_sleeps_.load() != 0) FutexWake(finished_, INT_MAX);
  }

  FirstError error;

 private:
  // Steps are counted in 16 bits; a longer loop has steps of several iterations.
  static constexpr int64_t kMostSteps = (1 << 16) - 1;

  // The loop's number, the first step that nobody has taken, the one behind the last.
  static uint64_t Ticket(uint32_t number, uint32_t first, uint32_t end) {
    return uint64_t{number} << 32 | end << 16 | first;
  }
  static uint32_t FirstStep(uint64_t ticket) { return ticket & 0xffff; }
  static uint32_t EndStep(uint64_t ticket) { return ticket >> 16 & 0xffff; }
  static uint32_t StepsLeft(uint64_t ticket) { return EndStep(ticket) - FirstStep(ticket); }

  struct Job {
    lathe_parallel_body body;
    void* closure;
    CancelScope* scope;  // null: nobody wants to end it
  };

  bool Call(const Job& job, int64_t begin, int64_t end, PieceByPiece& pieces) {
    const int32_t failed = job.scope == nullptr
                               ? job.body(job.closure, begin, end)
                               : pieces.Run(job.body, job.closure, begin, end, job.scope, &error);
    if (failed == 0) return true;
    error.Take();
    return false;
  }

  // How many steps this thread took, all done.
  uint32_t TakeParts(bool front, PieceByPiece& pieces) {
    uint32_t done = 0;
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (const uint32_t left = StepsLeft(ticket)) {
      // A mixture of two loops if the first has ended meanwhile: the exchange fails then.
      const lathe_parallel_body body = body_.load(std::memory_order_relaxed);
      void* const closure = closure_.load(std::memory_order_relaxed);
      CancelScope* const scope = scope_.load(std::memory_order_relaxed);
      const int64_t extent = extent_.load(std::memory_order_relaxed),
                    step = step_.load(std::memory_order_relaxed);
      const uint32_t wanted = std::max(smallest_.load(std::memory_order_relaxed),
                                       left / divisor_.load(std::memory_order_relaxed)),
                     part = std::min(left, wanted);
      const uint32_t first = front ? FirstStep(ticket) : EndStep(ticket) - part;
      // Of the range in the word, whichever end moves.
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

  // Takes what is left without doing it.
  uint32_t SkipRest() {
    uint64_t ticket = ticket_.load(std::memory_order_relaxed);
    while (!ticket_.compare_exchange_weak(ticket, ticket + StepsLeft(ticket),
                                          std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return StepsLeft(ticket);
  }

  // What everybody reads; one line.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  std::atomic<lathe_parallel_body> body_{nullptr};
  std::atomic<void*> closure_{nullptr};
  std::atomic<int64_t> extent_{0}, step_{1};
  std::atomic<uint32_t> divisor_{1}, smallest_{1};
  std::atomic<CancelScope*> scope_{nullptr};
  // Steps that workers did, of all loops so far.
  alignas(64) std::atomic<uint32_t> finished_{0};
  std::atomic<uint32_t> caller_sleeps_{0};
  // Of the loop's own thread. What finished_ will be at the loop's end.
  alignas(64) uint32_t awaited_ = 0;
  uint32_t number_ = 0;
};

}  // namespace lathe::runtime::internal
