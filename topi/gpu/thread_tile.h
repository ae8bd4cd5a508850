// Tiles of registers: several results of a contraction in each thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/tensor_op.h"
#include "topi/cpu/auto/access.h"

namespace lathe::topi::gpu {

// One side of a tile: `count` neighbours along data axis `axis`. Their operand is the same.
struct TileSide {
  size_t axis = 0;
  int64_t count = 1;
  bool vector = false;  // they lie side by side, and are one vector
};

// A thread computes the results rows.count x columns.count. In each step of the reduction it loads
// rows.count elements of one operand and columns.count of the other: with 8 x 8, an eighth of the
// loads that 64 threads with one result each would need.
struct ThreadTile {
  TileSide rows, columns;
};

// What a tile may be.
struct TileLimits {
  int64_t rows = 8, columns = 8;  // results along each side
  int64_t threads = 1;            // that must be left
};

// The tile with the fewest loads for a product within these limits. Extents must be constants that
// the sides divide: guards within the reduction would cost more than a tile saves. Nothing if no
// two operands exist that each depend on an axis of their own (as in a product or a convolution),
// or if the result is too small. `accesses` are those of `compute`.
std::optional<ThreadTile> ChooseThreadTile(const ir::ComputeOp& compute,
                                           const std::vector<cpu::Access>& accesses,
                                           const TileLimits& limits);

}  // namespace lathe::topi::gpu
