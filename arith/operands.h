// Reads the operands of an expression, and copies a node with other operands.
#pragma once

#include "absl/container/inlined_vector.h"
#include "ir/expr.h"

namespace lathe::arith::internal {

// Most nodes have two operands.
using Exprs = absl::InlinedVector<ir::Expr, 4>;

// Appends the operands to `out` (for Load: indices, then mask; for Call: arguments that are
// expressions). Let and Reduce, which introduce variables, have none here.
void AppendOperands(const ir::ExprNode& expr, Exprs* out);

// `expr` with its operands replaced by the same number of others. Returns `expr` itself if all are
// the same pointers.
ir::Expr WithOperands(const ir::Expr& expr, const Exprs& operands);

}  // namespace lathe::arith::internal
