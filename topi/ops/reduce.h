// Reductions of a matrix x[rows, columns] along one of its axes. Operands that do not fit throw
// Error "topi-operand" (operands.h).
#pragma once

#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

enum class Reduction { kSum, kMax };
enum class Along { kRows, kColumns };  // kRows: y[i] reduces row i; kColumns: y[j] reduces column j

te::Tensor Reduce(const te::Tensor& x, Reduction reduction, Along along);

// The position of the largest element of each row (column); of equal elements the first. Returns
// two tensors: the index (int32) and the value.
std::vector<te::Tensor> ArgMax(const te::Tensor& x, Along along);

}  // namespace lathe::topi::ops
