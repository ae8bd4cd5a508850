// The checked build (`--check`, pass option "check"): what a program may not do is found where it
// is done, at run time, by compiled code.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Before each statement, assertions for what it accesses. Without the option only claims are taken
// away.
//
//   for i in range(n)          for i in range(n)
//     C[i] = A[B[i]]      -->    assert 0 <= B[i] < m, "check-out-of-bounds", ...
//                                C[i] = A[B[i]]
//
// Errors at run time; each names the tensor, the index and the variables of the loops around it:
// - "check-out-of-bounds": an index that is outside of its buffer. An access in an arm of
//   if_then_else counts where the arm is taken.
// - "check-index-overflow": int32 arithmetic in an index passes 2^31 (computed again in int64),
//   also where it would come back.
// - "check-arguments-overlap": the memory of two tensor arguments overlaps, of which one may be
//   written (S42). The ranges from the first to the last element are compared: for interleaved
//   views that is more than the truth.
// - "check-claim": a trusted claim does not hold (S51).
//
// A claim is what a primitive is trusted in: `attr "claim" of "set_store_predicate of C" =
// condition { }`, made by whoever emits the statement that rests on it, where the condition can be
// evaluated. It becomes an assertion, or nothing.
//
// What a callee does with a pointer or tensor is not seen, nor whether memory was written before it
// is read (the interpreter finds that). Assertions that are proved cost nothing; others keep loops
// from becoming vectors. Must run before arguments are bound. Throws Error "check-unsupported" for
// a function with thread axes, which has no way to report (run it in the interpreter).
ir::Module CheckedBuild(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
