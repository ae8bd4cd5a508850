// Operators along the rows of a matrix: ops::Softmax, ops::LayerNorm.
//
// One pass over memory: a row is read, stays in the first-level cache while it is reduced and
// mapped, and is written. Reductions run in vectors, which are combined across lanes at the end of
// a row. Rows run in parallel.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/rows.h"

namespace lathe::topi::cpu {

void ScheduleSoftmax(const OperatorWork& work);
void ScheduleLayerNorm(const OperatorWork& work);

// float32. args: x, y.
Kernel Softmax(int64_t rows, int64_t columns, const target::Machine& machine, Config config = {});

// float32. args: x, scale[columns], shift[columns], y.
Kernel LayerNorm(int64_t rows, int64_t columns, double epsilon, const target::Machine& machine,
                 Config config = {});

}  // namespace lathe::topi::cpu
