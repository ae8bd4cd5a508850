// Normalisations of neural networks along the rows of a matrix x[rows, columns]. Operands that do
// not fit throw Error "topi-operand" (operands.h).
#pragma once

#include "te/operation.h"

namespace lathe::topi::ops {

// y[i, j] = exp(x[i, j] - max) / sum, with the maximum and the sum of the exponentials of row i.
// `x` has a floating-point type.
te::Tensor Softmax(const te::Tensor& x);

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift. Mean and variance are those of a row,
// computed in two passes over it. `x` has a floating-point type and a constant number of columns;
// `scale` and `shift` are [columns].
te::Tensor LayerNorm(const te::Tensor& x, const te::Tensor& scale, const te::Tensor& shift,
                     double epsilon);

}  // namespace lathe::topi::ops
