// Parallel loops become functions, called through the runtime's thread pool.
//
//   parallel for i in [a, b): body   -->   closure = slots(...); closure[0] = ...
//                                          if parallel(&f_parallel0, closure, b - a) != 0: fail
//
//                                          func f_parallel0(closure, begin, end):
//                                            for i in [a + begin, a + end): body
//
// A parallel loop inside another one runs serially. The closure has one 8-byte slot for each
// outside value that the body uses. Backends do not need to do this again.
// the closure, one 8-byte slot each. No backend redoes this.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module OutlineParallel(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
