// Selections whose arms cannot both be evaluated.
//
//   select(i - 1 >= 0, A[i - 1], 0)    -->    if_then_else(i - 1 >= 0, A[i - 1], 0)
//
// A Select evaluates both arms. What people write may rely on its condition to keep a load within
// bounds; loops may not (S27).
#pragma once

#include "ir/tensor_op.h"

namespace lathe::schedule {

// `value`, of the body of `op`, with each Select one of whose arms loads an element that is not
// proved to be there as a choice that evaluates only the arm it takes.
ir::Expr ShortCircuitUnsafeSelects(const ir::ComputeOp& op, const ir::Expr& value);

}  // namespace lathe::schedule
