// Where the operands of concatenations lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace lathe::graph {

// Of a call of `concatenate`: the byte at which each operand begins in the result, if the operands
// lie one behind the other there (the dimensions before the axis are 1), all shapes are known, and
// each begins at a multiple of 64, as kernels want it of their buffers. Then kernels may write the
// operands where they belong (graph/plan/joined_values.h).
std::optional<std::vector<uint64_t>> PartOffsets(const ir::GraphCall& call);

}  // namespace lathe::graph
