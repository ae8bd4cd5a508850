// Along the rows of a matrix x[rows, columns]: what neural networks normalise by.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include "te/operation.h"

namespace lathe::topi::ops {

// y[i, j] = exp(x[i, j] - max) / sum of the row's. `x` is of floats.
te::Tensor Softmax(const te::Tensor& x);

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift; mean and variance of a row by two
// passes over it. scale[columns], shift[columns]; the number of columns is a constant.
te::Tensor LayerNorm(const te::Tensor& x, const te::Tensor& scale, const te::Tensor& shift,
                     double epsilon);

}  // namespace lathe::topi::ops
