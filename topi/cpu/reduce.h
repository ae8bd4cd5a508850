// Reductions of a matrix x[rows, columns] along one of its axes: ops::Reduce, ops::ArgMax.
//
// Along rows: in several vectors side by side, combined across lanes at the end of each row. Along
// columns: a strip of columns as wide as a few vectors is kept in registers while all rows of it
// are read.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/reduce.h"

namespace lathe::topi::cpu {

using ops::Along;
using ops::Reduction;

void ScheduleMatrixReductionByRows(const OperatorWork& work);
void ScheduleMatrixReductionByColumns(const OperatorWork& work);

// float32. args: x, y.
Kernel Reduce(Reduction reduction, Along along, int64_t rows, int64_t columns,
              const target::Machine& machine, Config config = {});

// float32. args: x, index (int32), value.
Kernel ArgMax(Along along, int64_t rows, int64_t columns, const target::Machine& machine,
              Config config = {});

}  // namespace lathe::topi::cpu
