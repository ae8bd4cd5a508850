#include "topi/cpu/reduce.h"

#include <algorithm>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

// The type of the values that are added or compared: that of the last output.
DataType ValueType(const Tensor& y) {
  return ir::OutputOf(y->op, static_cast<int>(ir::NumOutputs(*y->op)) - 1)->dtype();
}

bool Parallelizes(const Tensor& y) {
  const auto& k = ir::As<ir::ComputeOp>(y->op)->reduce_axis[0];
  return WorthThreads(2.0 *
                      static_cast<double>(ConstExtent(y, 0) * *ir::AsConstInt(k->domain->extent)));
}

}  // namespace

void ScheduleMatrixReductionByRows(const OperatorWork& work) {
  Schedule s = work.schedule;
  const Tensor& y = work.result;
  const IterVar row = AxisOf(y, 0);
  const int64_t vectors = work.config.Ask(
      {"row_reduction.vectors", 4, 1, 16, "vectors of partial results side by side"});
  for (const Tensor& partial : ReduceInVectors(s, y, vectors, work.machine.Lanes(ValueType(y)))) {
    schedule::ComputeAt(s[partial], s[y], row);
  }
  if (Parallelizes(y)) schedule::Parallel(s[y], row);
}

// Takes blocks of 1024 columns (a page of float32), so that memory is read in long pieces. If
// threads share the columns, a block is at most a quarter of them. The results of a block stay in
// the first-level cache. Four rows are combined each time the results are read and written.
void ScheduleMatrixReductionByColumns(const OperatorWork& work) {
  Schedule s = work.schedule;
  const Tensor& y = work.result;
  const int64_t columns = ConstExtent(y, 0), lanes = work.machine.Lanes(ValueType(y));
  const bool parallel = Parallelizes(y);
  const Tensor sums = schedule::CacheWrite(s, y, ir::memory_scope::kLocal)[0];
  const int64_t share = parallel ? (columns / 4 + lanes - 1) / lanes * lanes : columns;
  const int64_t width = work.config.Ask({"column_reduction.block",
                                         std::max<int64_t>(1, std::min<int64_t>(share, 1024)), 1,
                                         1 << 20, "columns whose results are kept near"});
  const int64_t rows =
      work.config.Ask({"column_reduction.rows", 4, 1, 64, "rows that are combined at once"});
  auto [block, column] = schedule::Split(s[y], AxisOf(y, 0), width);
  schedule::ComputeAt(s[sums], s[y], block);
  VectorizeInner(s[y], column, 1, lanes);
  if (parallel) schedule::Parallel(s[y], block);
  auto [k_outer, k_inner] = schedule::Split(s[sums], schedule::ReduceAxisOf(sums, 0), rows);
  auto [j_outer, j_inner] = schedule::Split(s[sums], AxisOf(sums, 0), lanes);
  schedule::Reorder(s[sums], {k_outer, j_outer, k_inner, j_inner});
  schedule::Unroll(s[sums], k_inner);
  schedule::Vectorize(s[sums], j_inner);
}

namespace {

void ScheduleAlong(Along along, const OperatorWork& work) {
  along == Along::kRows ? ScheduleMatrixReductionByRows(work)
                        : ScheduleMatrixReductionByColumns(work);
}

}  // namespace

Kernel Reduce(Reduction reduction, Along along, int64_t rows, int64_t columns,
              const target::Machine& machine, Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = ops::Reduce(x, reduction, along);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleAlong(along, {s, y, machine, config});
  return {s, {x, y}};
}

Kernel ArgMax(Along along, int64_t rows, int64_t columns, const target::Machine& machine,
              Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const std::vector<Tensor> y = ops::ArgMax(x, along);
  Schedule s = schedule::CreateSchedule({y[0]->op});
  ScheduleAlong(along, {s, y[0], machine, config});
  return {s, {x, y[0], y[1]}};
}

}  // namespace lathe::topi::cpu
