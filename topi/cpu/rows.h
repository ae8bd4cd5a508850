// Along the rows of a matrix x[rows, columns], float32: what neural networks normalise by.
//
// One pass over memory: a row is read, stays in the nearest cache while it is reduced and mapped,
// and is written. Reductions run in vectors and are combined across lanes at the end of a row.
// Parallel over rows.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

// y[i, j] = exp(x[i, j] - max) / sum of the row's. args: x, y.
Kernel Softmax(int64_t rows, int64_t columns, const target::Machine& machine);

// y = (x - mean) / sqrt(variance + epsilon) * scale + shift; mean and variance of a row by two
// passes over it. args: x, scale[columns], shift[columns], y.
Kernel LayerNorm(int64_t rows, int64_t columns, double epsilon, const target::Machine& machine);

}  // namespace lathe::topi::cpu
