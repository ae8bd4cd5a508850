// Reductions of a matrix x[rows, columns] along one of its axes: ops::Reduce, ops::ArgMax.
//
// Along rows: reduced in several vectors side by side, which are combined across lanes at the end
// of each row. Along columns: the results of a block of columns stay in the first-level cache while
// all rows are read.
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
