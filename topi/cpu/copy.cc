#include "topi/cpu/copy.h"

#include <string>

#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/transpose_block.h"

namespace lathe::topi::cpu {
namespace {

using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

}  // namespace

void ScheduleTranspose(const OperatorWork& work) {
  const Tensor& y = work.result;
  schedule::Stage& stage = work.schedule[y];
  const int64_t rows = ConstExtent(y, 1), columns = ConstExtent(y, 0);
  const int64_t lanes = work.machine.Lanes(y->dtype());
  const bool whole = rows % lanes == 0 && columns % lanes == 0;
  auto t = schedule::Tile(stage, AxisOf(y, 0), AxisOf(y, 1), lanes, lanes);
  // Parallel along the rows of y, so that y is written in order.
  if (WorthThreads(static_cast<double>(rows * columns))) schedule::Parallel(stage, t.x_outer);
  // Stream only if one vector is a whole cache line. Lines in two parts would be written twice.
  if (work.machine.vector_bytes >= 64) {
    StreamResults(stage, t.x_outer, rows * columns * y->dtype().bytes(), work.machine);
  }
  if (whole) {
    schedule::Tensorize(stage, t.x_inner, TransposeBlock(lanes, y->dtype()));
  } else {
    const int64_t unrolled =
        work.config.Ask({"transpose.rows", 4, 1, 64, "rows of a tile that are straight code"});
    schedule::Unroll(stage, schedule::Split(stage, t.x_inner, unrolled).second);
    schedule::Vectorize(stage, t.y_inner);
  }
}

void ScheduleConcatColumns(const OperatorWork& work) {
  const Tensor& y = work.result;
  schedule::Stage& stage = work.schedule[y];
  const int64_t size = ConstExtent(y, 0) * ConstExtent(y, 1);
  if (WorthThreads(static_cast<double>(size))) schedule::Parallel(stage, AxisOf(y, 0));
  StreamResults(stage, AxisOf(y, 0), size * y->dtype().bytes(), work.machine);
  const int64_t vectors =
      work.config.Ask({"concat_columns.vectors", 1, 1, 16, "vectors copied together"});
  VectorizeInner(stage, AxisOf(y, 1), vectors, work.machine.Lanes(y->dtype()));
}

Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine, Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = ops::Transpose(x);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleTranspose({s, y, machine, config});
  return {s, {x, y}};
}

Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine, Config config) {
  std::vector<Tensor> args;
  for (const int64_t extent : columns) {
    args.push_back(te::Placeholder({ir::Int(rows), ir::Int(extent)}, kFloat,
                                   "x" + std::to_string(args.size())));
  }
  const Tensor y = ops::ConcatColumns(args);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleConcatColumns({s, y, machine, config});
  args.push_back(y);
  return {s, args};
}

}  // namespace lathe::topi::cpu
