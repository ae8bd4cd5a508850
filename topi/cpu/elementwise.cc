#include "topi/cpu/elementwise.h"

#include <cmath>

#include "ir/intrinsic.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {

Kernel Elementwise(int64_t size, DataType dtype,
                   const std::function<ir::Expr(const ir::Expr&)>& map, const CpuMachine& machine) {
  const ir::Tensor x = te::Placeholder({ir::Int(size)}, dtype, "x");
  const ir::Tensor y = te::Compute(
      {ir::Int(size)}, [&](const te::Indices& i) { return map(te::At(x, {i[0]})); }, "y");
  schedule::Schedule s = schedule::CreateSchedule({y->op});
  ir::IterVar axis = schedule::AxisOf(y, 0);
  if (WorthThreads(8.0 * static_cast<double>(size))) {
    // Pieces of a few pages: many for each thread, each worth its turn.
    auto [piece, within] = schedule::Split(s[y], axis, 16384);
    schedule::Parallel(s[y], piece);
    axis = within;
  }
  VectorizeInner(s[y], axis, 2, machine.Lanes(dtype));
  return {s, {x, y}};
}

ir::Expr Gelu(const ir::Expr& x) {
  const DataType dtype = x->dtype;
  return ir::Const(0.5, dtype) * x *
         (ir::Const(1.0, dtype) +
          ir::CallIntrinsic("erf", {x * ir::Const(1.0 / std::sqrt(2.0), dtype)}));
}

}  // namespace lathe::topi::cpu
