// Chains of stencils, each computed from the one before.
// Operands that do not fit throw Error "topi-operand" (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

// Applies `blurs` (1 to 64) blurs one after the other. Each computes the mean of 3x3 neighbours.
// x[height + 2 blurs, width + 2 blurs] gives y[height, width], because each blur removes a frame of
// one element. The nine elements are added as three sums of three, row by row.
te::Tensor BoxBlurs(const te::Tensor& x, int64_t blurs);

}  // namespace lathe::topi::ops
