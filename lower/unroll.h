// Unrolled loops become copies of their body.
//
//   unrolled for i in [0, 2): A[i] = 0      -->      A[0] = 0
//                                                    A[1] = 0
//
// For loops that the schedule marked (S23); their extent must be a constant of at most 65536
// (diagnostic "unroll-extent"). With the option unroll.explicit = 0 they become serial loops with
// the annotation `unroll`, for the code generator.
//
// Serial loops of constant extent are unrolled automatically, innermost first, within the limits of
// the pragmas around them (schedule/primitives/pragma.h; else of the options unroll.auto_max_step,
// _depth and _extent): the result has at most max_step statements, at most max_depth unrolled loops
// are nested, no unrolled loop has more than max_extent iterations, and no loop inside stays. By
// default max_step is 0: nothing is unrolled automatically. This pass removes the pragmas.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Unroll(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
