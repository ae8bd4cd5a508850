// Unrolled loops become copies of their body.
//
//   unrolled for i in [0, 2): A[i] = 0      -->      A[0] = 0
//                                                    A[1] = 0
//
// Loops that the schedule marked (S23); their extent must be a constant of at most 65536
// (diagnostic "unroll-extent"). With the option unroll.explicit = 0 they stay, as a hint for the
// code generator.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Unroll(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
