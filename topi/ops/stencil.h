// Chains of stencils.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

// `blurs` (at least 1) means over 3x3 neighbours in a row: x[height + 2 blurs, width + 2 blurs]
// gives y[height, width], as each blur takes a frame of one element away. A sum is that of three
// rows' sums.
te::Tensor BoxBlurs(const te::Tensor& x, int64_t blurs);

}  // namespace lathe::topi::ops
