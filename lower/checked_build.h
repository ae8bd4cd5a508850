// The checked build (`--check`, pass option "check"): compiled code finds forbidden accesses at run
// time, at the statement that makes them.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Adds assertions before each statement for its accesses. Without the option it only removes
// claims.
//
//   for i in range(n)          for i in range(n)
//     C[i] = A[B[i]]      -->    assert 0 <= B[i] < m, "check-out-of-bounds", ...
//                                C[i] = A[B[i]]
//
// Errors at run time; each names the tensor, the index and the variables of the loops around it:
// - "check-out-of-bounds": an index outside its buffer. An access in an arm of if_then_else counts
//   only if the arm is taken.
// - "check-index-overflow": int32 arithmetic in an index exceeds 2^31 (found by computing it in
//   int64), even if the final result is in range again.
// - "check-arguments-overlap": the memory of two tensor arguments overlaps, and one of them may be
//   written (S42). The ranges from the first to the last element are compared; for interleaved
//   views this reports overlaps that are not there.
// - "check-claim": a trusted claim does not hold (S51).
//
// A claim is a condition that a primitive relies on without proof: `attr "claim" of
// "set_store_predicate of C" = condition { }`. The code that emits the statement emits it where the
// condition can be evaluated. It becomes an assertion, or is removed.
//
// Not checked: accesses by a callee through a pointer or tensor, and reads of memory that was not
// written (the interpreter finds those). Assertions that are proved cost nothing; others prevent
// vectorization. In kernels they become reports, which the host reads after the launch
// (device/kernel_reports.h). Must run before arguments are bound.
ir::Module CheckedBuild(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
