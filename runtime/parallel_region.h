// One parallel loop: its parts, and the first error of any of them. Private to the thread pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "plugins/api/kernel.h"
#include "runtime/error_object.h"
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

// A loop that several threads take parts of. Parts shrink towards the end ("guided
// self-scheduling", Polychronopoulos and Kuck 1987): few of them where the work is even, small ones
// where it is not.
struct ParallelRegion {
  lathe_parallel_body body = nullptr;
  void* closure = nullptr;
  int64_t extent = 0;
  int64_t threads = 1;
  int64_t smallest = 1;
  alignas(64) std::atomic<int64_t> next{0};
  FirstError error;

  void Reset(lathe_parallel_body new_body, void* new_closure, int64_t new_extent,
             int threads_used) {
    body = new_body;
    closure = new_closure;
    extent = new_extent;
    threads = threads_used;
    smallest = std::max<int64_t>(1, extent / (int64_t{64} * threads));
    next.store(0, std::memory_order_relaxed);
  }

  // Takes parts until none is left.
  void Work() {
    int64_t begin = next.load(std::memory_order_relaxed);
    while (begin < extent) {
      const int64_t part = std::max(smallest, (extent - begin) / (2 * threads));
      const int64_t end = part < extent - begin ? begin + part : extent;
      if (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
      if (body(closure, begin, end) != 0) {
        error.Take();
        next.store(extent, std::memory_order_relaxed);
        return;
      }
      begin = next.load(std::memory_order_relaxed);
    }
  }
};

}  // namespace lathe::runtime::internal
