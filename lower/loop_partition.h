// Loops whose bodies test bound guards are cut where the guards are decided, so that the main piece
// tests nothing.
//
//   for io in [0, (n + 15) // 16):               for io in [0, n // 16):
//     vectorized ii in [0, 16):                    vectorized ii in [0, 16):
//       if likely(io * 16 + ii < n):      -->        A[io * 16 + ii] = 0
//         A[io * 16 + ii] = 0                    for io in [n // 16, (n + 15) // 16):
//                                                  vectorized ii in [0, 16):
//                                                    if likely(io * 16 + ii < n): ...
//
// A guard is a condition marked likely (S3) that follows from the loop's variable for all values of
// the loops inside; it is then true in the main piece whatever they do. Outer loops come first.
// Pieces run in the order of the loop, and their extents are never negative (S21). A parallel loop
// stays one loop, whose body chooses between the two copies: a second round through the thread pool
// would cost more than a branch.
//
// A loop of constant bounds is cut only with the option partition.constant_loops, with the pragma
// loop_partition_hint, or where the guard would mask vectors. Thread, vectorized and unrolled loops
// are not cut. No statement is copied more than kMaxPartitionCopies times by nested cuts, nor is a
// body copied that is very large.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

constexpr int kMaxPartitionCopies = 8;

ir::Module LoopPartition(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
