// Parallel loops become functions of their own, called through the runtime's thread pool.
//
//   parallel for i in [a, b): body      -->     closure = slots(...); closure[0] = ...
//                                               if parallel(&f_parallel0, closure, b - a) != 0:
//                                               fail func f_parallel0(closure, begin, end):
//                                                 for i in [a + begin, a + end): body
//
// A parallel loop within another one is run serially. What the body uses from outside travels in
// the closure, one 8-byte slot each. No backend redoes this.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module OutlineParallel(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
