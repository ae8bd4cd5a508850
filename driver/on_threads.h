// Runs the compiler's work on several threads: one thread per core, each living for milliseconds.
// The runtime's thread pool stays free for kernels that run at the same time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::driver {

// Calls work(0), ..., work(count - 1), each once, on at most `threads` threads (0: one per core
// that this process may use). The calling thread is one of them, and does all the work if no other
// thread can be started. All calls are made even if one throws; then the exception of the call with
// the smallest number is thrown. If the caller's work is cancelled (runtime/cancel.h), all threads
// end: running calls end at their next poll, no new calls are made, and the first interruption is
// thrown.
void OnThreads(size_t count, int threads, const std::function<void(size_t)>& work);

// Returns the results of make(0), ..., make(count - 1), in order.
template <class T, class F>
std::vector<absl::StatusOr<T>> MakeEach(size_t count, int threads, F make) {
  std::vector<absl::StatusOr<T>> out(count, absl::UnknownError("not made"));
  OnThreads(count, threads, [&](size_t i) { out[i] = make(i); });
  return out;
}

}  // namespace lathe::driver
