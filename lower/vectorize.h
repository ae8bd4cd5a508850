// Vectorized loops become vector expressions.
//
//   vectorized for i in [0, 8): A[i] = B[i] + 1      -->      A[ramp(0, 1, 8)] = B[ramp(0, 1, 8)] +
//   broadcast(1, 8)
//
// The loop's variable becomes a ramp; what depends on it becomes a vector. A condition that depends
// on it becomes the mask of the loads and stores below it where those can take one; a statement
// that cannot be a vector (a loop or allocation whose size depends on the variable, a call with
// effects, an if with more than loads and stores) is run lane by lane by a serial loop (S22).
// Allocations inside grow by the lanes. A vectorized loop inside another one is run serially.
// Diagnostic: "vectorize-extent".
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Vectorize(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
