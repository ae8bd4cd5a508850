// Selections of which not both arms may be evaluated.
//
//   select(i - 1 >= 0, A[i - 1], 0)    -->    if_then_else(i - 1 >= 0, A[i - 1], 0)
//
// A Select evaluates both arms. A user's program may rely on the condition to keep a load within
// bounds; the loop nest must not (S27).
#pragma once

#include "ir/tensor_op.h"

namespace lathe::schedule {

// `value`, from the body of `op`. Each Select with an arm that loads an element that is not proved
// to exist becomes a choice that evaluates only one arm.
ir::Expr ShortCircuitUnsafeSelects(const ir::ComputeOp& op, const ir::Expr& value);

}  // namespace lathe::schedule
