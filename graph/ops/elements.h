// What operators that repeat elements need of their inputs.
#pragma once

#include <string>

#include "graph/op.h"

namespace lathe::graph::ops {

// Dimension d of argument i must have an element. What is not certain becomes an assumption. Throws
// Error "graph-argument".
inline void NeedElements(const TypeContext& c, size_t i, size_t d) {
  const std::string dimension = "dimension " + std::to_string(d);
  const ir::Expr one = ir::Int(1, DataType::Int(64)), &extent = c.shape(i)[d];
  if (c.Assume(SizeAssumption::Kind::kAtMost, one, extent, dimension + " of " + c.op.name)) return;
  c.FailArgument(i, "has no elements in " + dimension, "at least 1", "0");
}

}  // namespace lathe::graph::ops
