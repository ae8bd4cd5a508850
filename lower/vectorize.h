// Vectorized loops become vector expressions.
//
//   vectorized for i in [0, 8): A[i] = B[i] + 1
//     -->
//   A[ramp(0, 1, 8)] = B[ramp(0, 1, 8)] + broadcast(1, 8)
//
// The loop's variable becomes a ramp; expressions that depend on it become vectors. A condition
// that depends on it becomes the mask of the loads and stores below it, if those can be masked. A
// statement that has no vector form runs lane by lane in a serial loop (S22): a loop or allocation
// whose size depends on the variable, a call with effects, an if with more than loads and stores.
// Allocations inside grow by the number of lanes. A vectorized loop inside another one runs
// serially. Diagnostic: "vectorize-extent".
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Vectorize(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
