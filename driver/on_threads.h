// Work on several threads, for the compiler: a thread per core that live for milliseconds. The
// runtime's pool is left to kernels that run meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::driver {

// Calls work(0), ..., work(count - 1), each once, on at most `threads` threads (0: one per core
// that this process may use); the calling thread is one of them, and does everything where no other
// can be had. All calls are made, also when one throws; then the exception of the smallest number
// is thrown. What ends the caller's work (runtime/cancel.h) ends that of all threads: calls under
// way end where they look, no more are made, and what ended the first of them is thrown.
void OnThreads(size_t count, int threads, const std::function<void(size_t)>& work);

// What `make` returns for each number, in order.
template <class T, class F>
std::vector<absl::StatusOr<T>> MakeEach(size_t count, int threads, F make) {
  std::vector<absl::StatusOr<T>> out(count, absl::UnknownError("not made"));
  OnThreads(count, threads, [&](size_t i) { out[i] = make(i); });
  return out;
}

}  // namespace lathe::driver
