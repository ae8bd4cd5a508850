// The fork-join pool that parallel loops run on.
//
// After work, workers spin for a short while and then sleep. So a burst of loops costs some 0.1 us
// each, and an idle process costs nothing. Threads take parts from an atomic range of steps, so
// uneven parts balance. The calling thread works, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "lathe/abi/kernel.h"

namespace lathe::runtime {

// The number of threads of a parallel loop, the caller included: set here, or by LATHE_NUM_THREADS,
// or else the number of processors that this process may use. Throws Error `threads-invalid-count`
// unless 1 <= n <= 1024. Takes effect with the next loop.
void SetNumThreads(int n);
int NumThreads();

// Runs `body(closure, begin, end)` over parts that cover [0, extent), some of them on pool threads,
// and returns when all are done. Nested calls run serially on the calling thread. Several threads
// may run loops at once; they share the workers. The first part that returns non-zero decides the
// result, and parts that have not begun are skipped; the error that the part raised (raise.h) is
// then pending on the calling thread. If the calling thread is in a CancelScope (cancel.h), a part
// is done in pieces of some milliseconds, and between pieces the loop may end with `cancelled` or
// `deadline-exceeded`. In the child of a fork() the pool starts anew. If the system refuses a
// thread, loops use those that exist; the pool tries again a second later.
int32_t ParallelFor(lathe_parallel_body body, void* closure, int64_t extent);

// The same on at most `threads` threads. During the loop each has a number ThreadIndex(), from 0
// and below `threads`; two bodies that run at the same time have different numbers. On one thread,
// and inside another loop, the body runs on the caller as number 0.
int32_t ParallelOn(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads);
int32_t ThreadIndex();

// The same for a C++ callable `void (int64_t begin, int64_t end)`; its exceptions are thrown here
// again.
template <class F>
void ParallelFor(int64_t extent, F&& body);

// Replaces the pool: `run` has ParallelFor's contract, and `context` is passed to it. NULL restores
// the built-in pool. Not while loops run.
using ParallelRun = int32_t (*)(void* context, lathe_parallel_body body, void* closure,
                                int64_t extent);
void SetParallelRun(ParallelRun run, void* context);

// Ends the workers; the next loop starts them again. For tests and tools that count threads; not
// while loops run.
void StopThreads();

namespace internal {
void ParallelForErased(int64_t extent, void (*call)(void* body, int64_t begin, int64_t end),
                       void* body);
}  // namespace internal

template <class F>
void ParallelFor(int64_t extent, F&& body) {
  using Body = std::remove_reference_t<F>;
  internal::ParallelForErased(
      extent,
      [](void* erased, int64_t begin, int64_t end) { (*static_cast<Body*>(erased))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace lathe::runtime
