// The shapes and element types that passes look at.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace lathe::graph {

// The shape of a variable that holds a tensor.
inline const std::vector<ir::Expr>& ShapeOf(const ir::GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).shape;
}

// Its element type.
inline DataType TypeOf(const ir::GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).dtype;
}

// The extent if it is a number, else 0.
inline int64_t Number(const ir::Expr& extent) {
  const int64_t* number = ir::AsConstInt(extent);
  return number == nullptr ? 0 : *number;
}
// The same of dimension d of a tensor.
inline int64_t Number(const ir::GraphVar& var, size_t d) { return Number(ShapeOf(var)[d]); }

}  // namespace lathe::graph
