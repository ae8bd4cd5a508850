// Cuts loops whose bodies test bound guards into pieces, so that the main piece has no tests.
//
//   for io in [0, (n + 15) // 16):               for io in [0, n // 16):
//     vectorized ii in [0, 16):                    vectorized ii in [0, 16):
//       if likely(io * 16 + ii < n):      -->        A[io * 16 + ii] = 0
//         A[io * 16 + ii] = 0                    for io in [n // 16, (n + 15) // 16):
//                                                  vectorized ii in [0, 16):
//                                                    if likely(io * 16 + ii < n): ...
//
// A guard is a condition marked likely (S3) that depends on the loop's variable and holds for all
// values of the inner loops' variables; in the main piece it is always true. Outer loops come
// first. Pieces run in the order of the loop, and their extents are never negative (S21). A
// parallel loop stays one loop whose body chooses between the two copies: a second parallel loop
// would cost more than a branch.
//
// A loop with constant bounds is cut only with the option partition.constant_loops, with the pragma
// loop_partition_hint, or if the guard would mask vectors. Thread, vectorized and unrolled loops
// are not cut. Nested cuts copy no statement more than kMaxPartitionCopies times, except for loops
// with the pragma: a frame around rows and columns makes nine pieces. Very large bodies are not
// copied. Hints without effect are notes (PassContext::note).
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

constexpr int kMaxPartitionCopies = 8;

ir::Module LoopPartition(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
