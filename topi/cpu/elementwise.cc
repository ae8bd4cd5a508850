#include "topi/cpu/elementwise.h"

#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {

void ScheduleElementwise(const OperatorWork& work) {
  schedule::Stage& y = work.schedule[work.result];
  const int64_t size = ConstExtent(work.result, 0);
  const DataType dtype = work.result->dtype();
  ir::IterVar axis = schedule::AxisOf(work.result, 0);
  if (WorthThreads(8.0 * static_cast<double>(size))) {
    // Pieces of a few pages: many for each thread, each large enough to pay for its start.
    const int64_t elements = work.config.Ask(
        {"elementwise.piece", 16384, 64, 1 << 24, "elements that a thread takes at once"});
    auto [piece, within] = schedule::Split(y, axis, elements);
    schedule::Parallel(y, piece);
    StreamResults(y, piece, size * dtype.bytes(), work.machine);
    axis = within;
  }
  const int64_t vectors =
      work.config.Ask({"elementwise.vectors", 4, 1, 16, "vectors computed together"});
  VectorizeInner(y, axis, vectors, work.machine.Lanes(dtype));
}

Kernel Elementwise(int64_t size, DataType dtype,
                   const std::function<ir::Expr(const ir::Expr&)>& map,
                   const target::Machine& machine, Config config) {
  const ir::Tensor x = te::Placeholder({ir::Int(size)}, dtype, "x");
  const ir::Tensor y = ops::Map(x, map);
  schedule::Schedule s = schedule::CreateSchedule({y->op});
  ScheduleElementwise({s, y, machine, config});
  return {s, {x, y}};
}

}  // namespace lathe::topi::cpu
