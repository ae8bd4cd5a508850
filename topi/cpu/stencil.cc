#include "topi/cpu/stencil.h"

#include <algorithm>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

void ScheduleUnfused(const OperatorWork& work, const std::vector<Tensor>& stages, int64_t vectors,
                     bool parallel) {
  const Tensor& y = work.result;
  const int64_t bytes = ConstExtent(y, 0) * ConstExtent(y, 1) * y->dtype().bytes();
  for (const Tensor& tensor : stages) {
    schedule::Stage& stage = work.schedule[tensor];
    if (parallel) schedule::Parallel(stage, AxisOf(tensor, 0));
    StreamResults(stage, AxisOf(tensor, 0), bytes, work.machine);
    VectorizeInner(stage, AxisOf(tensor, 1), vectors, work.machine.Lanes(y->dtype()));
  }
}

}  // namespace

void ScheduleBoxBlurs(const OperatorWork& work) {
  const Tensor& y = work.result;
  std::vector<Tensor> stages;  // the first stage reads x
  for (const ir::Op& op : OperatorOf(y->op)) stages.push_back(ir::OutputOf(op, 0));
  const auto blurs = static_cast<int64_t>(stages.size());
  const int64_t height = ConstExtent(y, 0), width = ConstExtent(y, 1), bytes = y->dtype().bytes();
  const int64_t lanes = work.machine.Lanes(y->dtype());
  const bool parallel = WorthThreads(static_cast<double>(9 * blurs * height * width));
  const int64_t vectors = work.config.Ask(
      {"box_blurs.vectors", 4, 1, 16, "vectors of a row computed together: their loads overlap"});
  if (work.config.Ask({"box_blurs.windows", 1, 0, 1, "all stages row by row"}) == 0) {
    return ScheduleUnfused(work, stages, vectors, parallel);
  }
  Schedule s = work.schedule;
  // The window of a stage has one row, and two more for each stage that follows. The first stage
  // also reads three rows of x. Columns are in blocks, so that the windows of all stages fit into
  // the second-level cache. Blocks for the first-level cache would be so narrow that neither
  // prefetchers nor pages get far along a row (measured: half as fast as no windows at all).
  int64_t rows = 3;
  for (int64_t k = 1; k < blurs; ++k) rows += 2 * k + 1;
  const int64_t fitting =
      std::max(lanes, work.machine.l2.bytes / 2 / (rows * bytes) / lanes * lanes);
  const int64_t columns = work.config.Ask(
      {"box_blurs.columns", std::min(fitting, width), 1, 1 << 24, "columns of a block"});
  const int64_t strip_rows = work.config.Ask(
      {"box_blurs.rows", 128, 2, 1 << 16, "rows of a strip: many more than it computes twice"});
  auto t = schedule::Tile(s[y], AxisOf(y, 0), AxisOf(y, 1), strip_rows, columns);
  schedule::Reorder(s[y], {t.x_outer, t.y_outer, t.x_inner, t.y_inner});
  const IterVar strip = schedule::Fuse(s[y], {t.x_outer, t.y_outer});
  if (parallel) schedule::Parallel(s[y], strip);
  StreamResults(s[y], strip, height * width * bytes, work.machine);
  VectorizeInner(s[y], t.y_inner, vectors, lanes);
  for (const Tensor& stage : stages) {
    if (ir::SameTensor(stage, y)) continue;
    schedule::ComputeAt(s[stage], s[y], t.x_inner);
    schedule::RollingBuffer(s[stage]);
    schedule::StorageAlign(s[stage], AxisOf(stage, 0), lanes, 0);
    const auto [block, within] = schedule::Split(s[stage], AxisOf(stage, 1), vectors * lanes);
    VectorizeRow(s[stage], within, lanes);
    if (!stage.same_as(stages.front())) continue;
    // How far ahead the first stage prefetches its rows. It reads three rows at once, more than the
    // processor's own prefetching keeps up with. Measured: 7.9 ms with 3 KB, 8.3 with 2, 8.7 with
    // 6, 9.7 without.
    const int64_t ahead = work.config.Ask(
        {"box_blurs.bytes_ahead", 3072, 0, 1 << 16, "bytes of a row that memory is asked for"});
    const int64_t iterations = ahead / (vectors * lanes * bytes);
    if (iterations > 0)
      schedule::Prefetch(s[stage], ir::InputsOf(*stage->op)[0], block, iterations);
  }
}

Kernel BoxBlurs(int64_t blurs, int64_t height, int64_t width, StencilSchedule schedule,
                const target::Machine& machine) {
  const Tensor x = te::Placeholder({ir::Int(height + 2 * blurs), ir::Int(width + 2 * blurs)},
                                   DataType::Float(32), "x");
  const Tensor y = ops::BoxBlurs(x, blurs);
  Config config;
  if (schedule == StencilSchedule::kUnfused) config = Config({{"box_blurs.windows", 0}});
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleBoxBlurs({s, y, machine, config});
  return {s, {x, y}};
}

}  // namespace lathe::topi::cpu
