// Common subexpressions: an expression that occurs more than once is computed once.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// An expression that is used at least twice gets a variable before the first statement that
// certainly computes it. Later uses read the variable if every path to them passes that statement.
//
//   C[i * n + j] = exp(A[i * n + j])  -->  let cse0 = i * n + j
//   D[i * n + j] = exp(A[i * n + j])       let cse1 = exp(A[cse0])
//                                          C[cse0] = cse1
//                                          D[cse0] = cse1
//
// (If C and D cannot be A's memory; else the second load has another value.)
//
// - Only expressions without side effects, and only numbers. Conditions stay where later passes
//   look for guards, unless their tree has a thousand nodes; ramps and broadcasts stay where they
//   describe an access. `x + 1` of a variable and a cast of one between integers are not worth a
//   variable.
// - Nothing is computed on a path that did not compute it before: not before a loop that may be
//   empty, not outside an arm (of an If, or of if_then_else) that guards it.
// - A load keeps its order with the stores to its memory. Distinct buffers do not alias (S42);
//   views of one memory do. After a call that may write, nothing is known about loads.
// - Names are `cse0`, `cse1`, ... in the order of the text. Returns the same pointer if nothing
//   is common.
//
// Value numbering over the tree of statements, in O(n log n) for n nodes (shared ones once).
ir::Module Cse(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
