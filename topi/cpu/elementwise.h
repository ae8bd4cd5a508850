// Elementwise operators: ops::Map.
#pragma once

#include <functional>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/elementwise.h"

namespace lathe::topi::cpu {

// Schedules maps of one axis: in vectors, parallel over pieces.
void ScheduleElementwise(const OperatorWork& work);

// Computes y[i] = map(x[i]) for `size` elements. args: x, y.
Kernel Elementwise(int64_t size, DataType dtype,
                   const std::function<ir::Expr(const ir::Expr&)>& map,
                   const target::Machine& machine, Config config = {});

using ops::Gelu;
using ops::kGeluError;

}  // namespace lathe::topi::cpu
