// Operators that only move elements, without arithmetic. Operands that do not fit throw Error
// "topi-operand" (operands.h).
#pragma once

#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

// y[j, i] = x[i, j].
te::Tensor Transpose(const te::Tensor& x);

// y[i, ...] = the columns of each matrix in turn. All matrices have the same number of rows and the
// same element type. 1 to 256 inputs.
te::Tensor ConcatColumns(const std::vector<te::Tensor>& inputs);

}  // namespace lathe::topi::ops
