// Reductions of a matrix x[rows, columns] along one of its axes.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

enum class Reduction { kSum, kMax };
enum class Along { kRows, kColumns };  // kRows: y[i] of row i; kColumns: y[j] of column j

te::Tensor Reduce(const te::Tensor& x, Reduction reduction, Along along);

// Where the largest element of each row (column) is; of equal ones the first. Index (int32), value.
std::vector<te::Tensor> ArgMax(const te::Tensor& x, Along along);

}  // namespace lathe::topi::ops
