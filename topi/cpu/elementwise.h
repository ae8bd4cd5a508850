// One element in, one out, whatever the shape.
#pragma once

#include <functional>

#include "topi/cpu/cpu_machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

// y[i] = map(x[i]) for `size` elements, in vectors, parallel over pieces. args: x, y.
Kernel Elementwise(int64_t size, DataType dtype,
                   const std::function<ir::Expr(const ir::Expr&)>& map, const CpuMachine& machine);

// x/2 (1 + erf(x / sqrt 2)), the Gaussian error linear unit.
ir::Expr Gelu(const ir::Expr& x);

}  // namespace lathe::topi::cpu
