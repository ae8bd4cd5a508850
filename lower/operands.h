// A node's own expressions, for passes that treat all kinds alike.
#pragma once

#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/stmt.h"

namespace lathe::lower {

// The expressions among a node's fields, in the order of its field list, without definitions and
// annotations, and without those of an Attr (which is an annotation, not a computation).
using OperandList = absl::InlinedVector<const ir::ExprNode*, 4>;
OperandList OperandsOf(const ir::Node& node);
// The node with these operands instead of its own; the node itself if none differs.
ir::NodeRef WithOperands(const ir::NodeRef& node, const std::vector<ir::Expr>& with);

}  // namespace lathe::lower
