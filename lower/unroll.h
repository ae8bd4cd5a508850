// Unrolled loops become copies of their body.
//
//   unrolled for i in [0, 2): A[i] = 0      -->      A[0] = 0
//                                                    A[1] = 0
//
// Loops that the schedule marked (S23); their extent must be a constant of at most 65536
// (diagnostic "unroll-extent"). With the option unroll.explicit = 0 they become serial loops with
// the annotation `unroll`, for the code generator.
//
// Serial loops of constant extent are unrolled automatically, innermost first, while the limits of
// the pragmas around them (schedule/primitives/pragma.h; else the options unroll.auto_max_step,
// _depth and _extent) allow: max_step statements come out, at most max_depth unrolled loops lie in
// each other, no loop has more than max_extent iterations, and none within stays a loop. max_step
// is 0 unless it is set: nothing is unrolled unasked. The pragmas end here.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Unroll(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
