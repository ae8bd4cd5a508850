// Ending what runs: a flag and a deadline that loops and compiled code look at.
//
//   Cancellation stop;                       // one thread or many
//   stop.SetDeadline(now + 2s);
//   { CancelScope scope(stop); f(a, b); }    // calls in here end with `cancelled`
//   stop.Cancel();                           // from any thread
//
// What looks: ParallelFor (so each parallel loop of a kernel) between the parts of a loop, on every
// thread that takes some; calls of packed functions from compiled code; compiled code that calls
// the runtime table's `poll`; the compiler at the nodes that it walks (base/poll.h). Code between
// two looks is not interrupted, nothing is unwound but by the usual way out of an error, and what a
// kernel had written by then stays written.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/poll.h"
#include "runtime/error_object.h"

namespace lathe::runtime {

// What work is ended with that asks by Poll (base/poll.h): the error that a call would end with.
class Interrupted final : public CallError, public Interruption {
 public:
  explicit Interrupted(const CallError& error) : CallError(error) {}
};

// Thread-safe. Outlives the scopes that it is in.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  virtual ~Cancellation() = default;

  // Calls in its scopes end with `cancelled`. For good; a second time does nothing.
  void Cancel() { why_.fetch_or(kCancelled, std::memory_order_relaxed); }
  // From then on they end with `deadline-exceeded`, to within some milliseconds. The last one set
  // counts.
  void SetDeadline(std::chrono::steady_clock::time_point deadline);
  bool cancelled() const { return (why_.load(std::memory_order_relaxed) & kCancelled) != 0; }

 protected:
  // What calls end with after the deadline, made on the thread that looked.
  virtual ErrorRef Late() const;

 private:
  friend class CancelScope;
  // Why somebody should look closer; 0 as long as nobody needs to.
  static constexpr uint32_t kCancelled = 1, kDeadline = 2, kPoll = 4;
  std::atomic<uint32_t> why_{0};
  std::atomic<int64_t> deadline_{0};  // nanoseconds of the steady clock
};

// The steady clock to within some milliseconds, in some nanoseconds.
int64_t CoarseNanoseconds();

// As long as it lives, what this thread calls, and the parts of its loops on other threads, look at
// a Cancellation, and at those of the scopes around. Costs a call some nanoseconds. Lives on the
// stack; made and destroyed by one thread, last in, first out.
class CancelScope {
 public:
  // Called on this thread, where it looks, and at least 50 ms apart: non-zero after raising
  // (raise.h) ends the call with that error. Others' code must not throw through it.
  using Poll = int32_t (*)();

  explicit CancelScope(Cancellation& cancellation) : CancelScope(&cancellation, nullptr) {}
  // With a poll alone.
  explicit CancelScope(Poll poll) : CancelScope(nullptr, poll) {}
  ~CancelScope() { current_ = outer_; }
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  // Of this thread; null where there is none.
  static CancelScope* Current() { return current_; }
  // 0, or -1 with the error pending on this thread. For any thread that works for `scope`'s, null
  // being no scope.
  static int32_t Look(CancelScope* scope) {
    for (; scope != nullptr; scope = scope->outer_) {
      if (scope->why_->load(std::memory_order_relaxed) != 0 && scope->LookCloser() != 0) return -1;
    }
    return 0;
  }

  // A thread that works for another one's scope: that is its own meanwhile.
  class Borrowed {
   public:
    explicit Borrowed(CancelScope* scope) : previous_(current_) { current_ = scope; }
    ~Borrowed() { current_ = previous_; }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

   private:
    CancelScope* previous_;
  };

 private:
  CancelScope(Cancellation* cancellation, Poll poll)
      : own_(poll == nullptr ? 0 : Cancellation::kPoll),
        why_(cancellation == nullptr ? &own_ : &cancellation->why_),
        cancellation_(cancellation),
        poll_(poll),
        outer_(current_),
        thread_(&current_) {
    current_ = this;
    if (lathe::internal::poll.load(std::memory_order_relaxed) != LookOrThrow) SetPoll(LookOrThrow);
  }
  // Throws Interrupted where this thread's calls are to end.
  static void LookOrThrow();
  int32_t LookCloser();

  static inline thread_local CancelScope* current_ = nullptr;

  std::atomic<uint32_t> own_;
  const std::atomic<uint32_t>* why_;
  Cancellation* cancellation_;
  Poll poll_;
  CancelScope* outer_;
  CancelScope* const* thread_;  // whose address tells threads apart
  int64_t polled_ = 0;          // milliseconds of the clock; 0: not yet asked
};

}  // namespace lathe::runtime
