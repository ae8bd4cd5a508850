// Reductions of a matrix x[rows, columns] of float32 along one of its axes.
//
// Along rows: in several vectors side by side, combined across lanes at the end of each row. Along
// columns: a strip of columns as wide as a few vectors is kept in registers while all rows of it
// are read.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

enum class Reduction { kSum, kMax };
enum class Along { kRows, kColumns };  // kRows: y[i] of row i; kColumns: y[j] of column j

// args: x, y.
Kernel Reduce(Reduction reduction, Along along, int64_t rows, int64_t columns,
              const target::Machine& machine);

// Where the largest element of each row (column) is; of equal ones the first. args: x, index
// (int32), value.
Kernel ArgMax(Along along, int64_t rows, int64_t columns, const target::Machine& machine);

}  // namespace lathe::topi::cpu
