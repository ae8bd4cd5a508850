// Loops on a given number of threads, in which each has a number. Private to the thread pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "lathe/abi/kernel.h"
#include "runtime/cancel.h"
#include "runtime/parallel_region.h"

namespace lathe::runtime::internal {

// The number of this thread in its loop.
inline thread_local int32_t thread_index = 0;

class ThreadIndexScope {
 public:
  explicit ThreadIndexScope(int32_t index) : previous_(thread_index) { thread_index = index; }
  ~ThreadIndexScope() { thread_index = previous_; }
  ThreadIndexScope(const ThreadIndexScope&) = delete;
  ThreadIndexScope& operator=(const ThreadIndexScope&) = delete;

 private:
  int32_t previous_;
};

// A loop on a given number of threads: it has as many seats, and no two threads are on one seat at
// the same time. In the first half of the iterations each seat has a fixed share, the same in each
// loop. The rest is taken in small parts by threads that are done, so that uneven work balances.
class Seats {
 public:
  Seats(lathe_parallel_body body, void* closure, int64_t extent, int32_t seats)
      : body_(body),
        closure_(closure),
        extent_(extent),
        shared_(extent / 2),
        part_(std::max<int64_t>(1, extent / 8 / seats)),
        seats_(seats),
        next_(shared_) {}

  static int32_t Run(void* self, int64_t begin, int64_t end) {
    for (int64_t seat = begin; seat < end; ++seat) {
      if (const int32_t failed = static_cast<Seats*>(self)->Sit(seat)) return failed;
    }
    return 0;
  }

 private:
  int32_t Sit(int64_t seat) {
    const ThreadIndexScope index(static_cast<int32_t>(seat));
    PieceByPiece pieces;
    int32_t failed = Do(Bound(seat), Bound(seat + 1), pieces);
    while (failed == 0 && !failed_.load(std::memory_order_relaxed)) {
      const int64_t begin = next_.fetch_add(part_, std::memory_order_relaxed);
      if (begin >= extent_) return 0;
      failed = Do(begin, std::min(extent_, begin + part_), pieces);
    }
    if (failed != 0) failed_.store(true, std::memory_order_relaxed);
    return failed;
  }

  // The start of a seat's fixed share in [0, shared_), computed without a product that could
  // overflow.
  int64_t Bound(int64_t seat) const {
    return shared_ / seats_ * seat + shared_ % seats_ * seat / seats_;
  }

  int32_t Do(int64_t begin, int64_t end, PieceByPiece& pieces) {
    if (begin >= end) return 0;
    CancelScope* const scope = CancelScope::Current();
    return scope == nullptr ? body_(closure_, begin, end)
                            : pieces.Run(body_, closure_, begin, end, scope, nullptr);
  }

  lathe_parallel_body body_;
  void* closure_;
  const int64_t extent_, shared_, part_;
  const int32_t seats_;
  alignas(64) std::atomic<int64_t> next_;
  std::atomic<bool> failed_{false};
};

}  // namespace lathe::runtime::internal
