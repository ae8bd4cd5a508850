// The fork-join pool that parallel loops run on.
//
// Workers spin for a short while after work and then sleep, so that a burst of loops pays some 0.1
// us each and an idle process pays nothing. Parts are handed out by an atomic counter, so uneven
// ones balance. The calling thread works too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "lathe/abi/kernel.h"

namespace lathe::runtime {

// Number of threads a parallel loop uses, the caller included: set here, or by LATHE_NUM_THREADS,
// or the processors this process may run on. Throws Error `threads-invalid-count` unless 1 <= n <=
// 1024. Takes effect with the next loop.
void SetNumThreads(int n);
int NumThreads();

// Runs `body(closure, begin, end)` over parts that cover [0, extent), some on pool threads, and
// returns when all are done. Nested calls run serially on the calling thread. Loops of several
// threads at once share the workers. The first part that returns non-zero decides the result; parts
// not yet begun are skipped. The error it raised (raise.h) is pending on the calling thread then.
// Where the calling thread is in a CancelScope (cancel.h), a part is done in pieces that last some
// milliseconds, between which the loop may end with `cancelled` or `deadline-exceeded`.
// After fork() in the child the pool starts afresh. Where the system refuses a thread, loops run on
// those there are; the pool asks again a second later.
int32_t ParallelFor(lathe_parallel_body body, void* closure, int64_t extent);

// The same on at most `threads` threads, each of which has a number meanwhile: ThreadIndex(), from
// 0 and below `threads`. No two bodies that run at once have the same number. On one thread, and
// within another loop, the body runs on the caller as number 0.
int32_t ParallelOn(lathe_parallel_body body, void* closure, int64_t extent, int32_t threads);
int32_t ThreadIndex();

// The same for a C++ callable `void (int64_t begin, int64_t end)`; what it throws is rethrown here.
template <class F>
void ParallelFor(int64_t extent, F&& body);

// Replaces the pool: `run` has ParallelFor's contract and `context` is handed to it. NULL brings
// our own back. Not while loops run.
using ParallelRun = int32_t (*)(void* context, lathe_parallel_body body, void* closure,
                                int64_t extent);
void SetParallelRun(ParallelRun run, void* context);

// Ends the workers, which start again with the next loop. For tests and tools that count threads;
// not while loops run.
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
