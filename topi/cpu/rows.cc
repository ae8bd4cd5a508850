#include "topi/cpu/rows.h"

#include <string>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

struct Parts {
  const char* scalars;  // one value per row, computed from the reductions
  std::vector<const char*> maps, reductions;
};

// Computes all stages for one row of the last stage. `operations` is the number per element.
void ScheduleByRows(const OperatorWork& work, const std::string& kind, const Parts& parts,
                    double operations) {
  Schedule s = work.schedule;
  const Tensor& last = work.result;
  const auto part = [&](const char* name) { return ir::OutputOf(PartOf(last->op, name), 0); };
  const int64_t lanes = work.machine.Lanes(last->dtype());
  const int64_t vectors =
      work.config.Ask({kind + ".vectors", 4, 1, 16, "vectors of a row computed together"});
  const int64_t partials =
      work.config.Ask({kind + ".reduction_vectors", vectors, 1, 16,
                       "vectors of partial results of a row's reductions side by side"});
  const IterVar row = AxisOf(last, 0);
  schedule::ComputeAt(s[part(parts.scalars)], s[last], row);
  for (const char* name : parts.maps) {
    const Tensor map = part(name);
    schedule::ComputeAt(s[map], s[last], row);
    VectorizeInner(s[map], AxisOf(map, 1), vectors, lanes);
  }
  for (const char* name : parts.reductions) {
    const Tensor reduction = part(name);
    for (const Tensor& partial : ReduceInVectors(s, reduction, partials, lanes)) {
      schedule::ComputeAt(s[partial], s[last], row);
    }
    schedule::ComputeAt(s[reduction], s[last], row);
  }
  VectorizeInner(s[last], AxisOf(last, 1), vectors, lanes);
  const int64_t size = ConstExtent(last, 0) * ConstExtent(last, 1);
  if (WorthThreads(operations * static_cast<double>(size))) {
    schedule::Parallel(s[last], row);
    StreamResults(s[last], row, size * last->dtype().bytes(), work.machine);
  }
}

}  // namespace

void ScheduleSoftmax(const OperatorWork& work) {
  ScheduleByRows(work, "softmax", {"scale", {"powers"}, {"largest", "sum"}}, 16);
}

void ScheduleLayerNorm(const OperatorWork& work) {
  ScheduleByRows(work, "layer_norm", {"factor", {}, {"sum", "squares"}}, 8);
}

Kernel Softmax(int64_t rows, int64_t columns, const target::Machine& machine, Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = ops::Softmax(x);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleSoftmax({s, y, machine, config});
  return {s, {x, y}};
}

Kernel LayerNorm(int64_t rows, int64_t columns, double epsilon, const target::Machine& machine,
                 Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor scale = te::Placeholder({ir::Int(columns)}, kFloat, "scale");
  const Tensor shift = te::Placeholder({ir::Int(columns)}, kFloat, "shift");
  const Tensor y = ops::LayerNorm(x, scale, shift, epsilon);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleLayerNorm({s, y, machine, config});
  return {s, {x, scale, shift, y}};
}

}  // namespace lathe::topi::cpu
