// Common subexpressions: what is computed more than once is computed once.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// An expression that is used at least twice gets a variable before the first statement that is
// certain to compute it; later uses that this statement precedes on every way read the variable.
//
//   C[i * n + j] = exp(A[i * n + j])  -->  let cse0 = i * n + j
//   D[i * n + j] = exp(A[i * n + j])       let cse1 = exp(A[cse0])
//                                          C[cse0] = cse1
//                                          D[cse0] = cse1
//
// (If C and D may not be A's memory; else the second load is another value.)
//
// - Only expressions without side effects, and only numbers: conditions stay where guards are
//   looked for, unless they share so much that as a tree they have a thousand nodes; ramps and
//   broadcasts stay where they say how memory is accessed. `x + 1` of a variable and casts of one
//   between integers are not worth a variable.
// - Nothing is computed that was not computed before on the same way: not before a loop that may be
//   empty, not out of an arm (of an If, or of if_then_else) that guards it.
// - A load keeps its place among the stores to its memory. Distinct buffers do not alias (S42);
//   views of one memory do. A call that may write ends what is known of loads.
// - Names are `cse0`, `cse1`, ... in the order of the text. The same pointer where nothing is
//   common.
//
// Value numbering over the tree of statements, in O(n log n) for n nodes (shared ones once).
ir::Module Cse(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
