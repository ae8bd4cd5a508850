#include "topi/cpu/reduce.h"

#include <algorithm>

#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

// Each row by itself. `y` is an output of the reduction.
void ScheduleRows(Schedule& s, const Tensor& y, bool parallel, int64_t lanes) {
  const IterVar row = AxisOf(y, 0);
  for (const Tensor& partial : ReduceInVectors(s, y, 4, lanes)) {
    schedule::ComputeAt(s[partial], s[y], row);
  }
  if (parallel) schedule::Parallel(s[y], row);
}

// Blocks of columns a page wide, so that memory is read in long pieces, or a quarter of the columns
// where threads share them; their results stay in the nearest cache, and four rows are combined for
// each time they are read and written.
void ScheduleColumns(Schedule& s, const Tensor& y, int64_t columns, bool parallel, int64_t lanes) {
  const Tensor sums = schedule::CacheWrite(s, y, "local")[0];
  const int64_t share = parallel ? (columns / 4 + lanes - 1) / lanes * lanes : columns;
  auto [block, column] =
      schedule::Split(s[y], AxisOf(y, 0), std::max<int64_t>(1, std::min<int64_t>(share, 1024)));
  schedule::ComputeAt(s[sums], s[y], block);
  VectorizeInner(s[y], column, 1, lanes);
  if (parallel) schedule::Parallel(s[y], block);
  auto [k_outer, k_inner] = schedule::Split(s[sums], schedule::ReduceAxisOf(sums, 0), 4);
  auto [j_outer, j_inner] = schedule::Split(s[sums], AxisOf(sums, 0), lanes);
  schedule::Reorder(s[sums], {k_outer, j_outer, k_inner, j_inner});
  schedule::Unroll(s[sums], k_inner);
  schedule::Vectorize(s[sums], j_inner);
}

// What is reduced: element k of the row (column) `at` of x.
Expr ElementOf(const Tensor& x, Along along, const Expr& at, const Expr& k) {
  return along == Along::kRows ? te::At(x, {at, k}) : te::At(x, {k, at});
}

void ScheduleReduction(Schedule& s, const Tensor& y, Along along, int64_t rows, int64_t columns,
                       const target::Machine& machine) {
  const bool parallel = WorthThreads(2.0 * static_cast<double>(rows * columns));
  const int64_t lanes = machine.Lanes(kFloat);
  if (along == Along::kRows) {
    ScheduleRows(s, y, parallel, lanes);
  } else {
    ScheduleColumns(s, y, columns, parallel, lanes);
  }
}

}  // namespace

Kernel Reduce(Reduction reduction, Along along, int64_t rows, int64_t columns,
              const target::Machine& machine) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const bool by_rows = along == Along::kRows;
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(by_rows ? columns : rows), "k");
  const Tensor y = te::Compute(
      {ir::Int(by_rows ? rows : columns)},
      [&](const te::Indices& i) {
        const Expr element = ElementOf(x, along, i[0], k->var);
        return reduction == Reduction::kSum ? te::Sum(element, {k}) : te::Max(element, {k});
      },
      "y");
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleReduction(s, y, along, rows, columns, machine);
  return {s, {x, y}};
}

Kernel ArgMax(Along along, int64_t rows, int64_t columns, const target::Machine& machine) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const bool by_rows = along == Along::kRows;
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(by_rows ? columns : rows), "k");
  const std::vector<Tensor> y = te::ComputeTuple(
      {ir::Int(by_rows ? rows : columns)},
      [&](const te::Indices& i) {
        return te::ArgMax(k->var, ElementOf(x, along, i[0], k->var), {k});
      },
      "y");
  Schedule s = schedule::CreateSchedule({y[0]->op});
  ScheduleReduction(s, y[0], along, rows, columns, machine);
  return {s, {x, y[0], y[1]}};
}

}  // namespace lathe::topi::cpu
