// An expression's operand expressions, in order, and the same node over other operands.
#pragma once

#include <vector>

#include "ir/expr.h"

namespace lathe::arith::internal {

// Appends the operands to `out` (for Load: indices, then mask; for Call: arguments that are
// expressions). Let and Reduce, which introduce variables, have none here.
void AppendOperands(const ir::ExprNode& expr, std::vector<ir::Expr>* out);

// `expr` with its operands replaced by as many others; itself if all are the same pointers.
ir::Expr WithOperands(const ir::Expr& expr, const std::vector<ir::Expr>& operands);

}  // namespace lathe::arith::internal
