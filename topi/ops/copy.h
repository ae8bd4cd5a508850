// Elements in another order: no arithmetic.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

// y[j, i] = x[i, j].
te::Tensor Transpose(const te::Tensor& x);

// y[i, ...] = the columns of each matrix in turn. They have as many rows and one element type.
te::Tensor ConcatColumns(const std::vector<te::Tensor>& inputs);

}  // namespace lathe::topi::ops
