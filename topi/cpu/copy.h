// Elements in another order: no arithmetic, so the memory is the limit.
#pragma once

#include <cstdint>
#include <vector>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

// y[j, i] = x[i, j], float32, in tiles small enough that lines of both sides stay in the nearest
// cache. args: x, y.
Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine);

// y[i, ...] = the columns of each input in turn. args: inputs x0[rows, columns[0]], ..., y.
Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine);

}  // namespace lathe::topi::cpu
