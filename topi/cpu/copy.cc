#include "topi/cpu/copy.h"

#include <string>

#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/transpose_block.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

}  // namespace

Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = te::Compute(
      {ir::Int(columns), ir::Int(rows)},
      [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "y");
  Schedule s = schedule::CreateSchedule({y->op});
  const int64_t lanes = machine.Lanes(kFloat);
  const bool whole = rows % lanes == 0 && columns % lanes == 0;
  auto t = schedule::Tile(s[y], AxisOf(y, 0), AxisOf(y, 1), lanes, lanes);
  // Along rows of y: it is written in order.
  if (WorthThreads(static_cast<double>(rows * columns))) schedule::Parallel(s[y], t.x_outer);
  // Lines are written whole, one vector each; in two parts they would be written twice.
  if (machine.vector_bytes >= 64) {
    StreamResults(s[y], t.x_outer, rows * columns * kFloat.bytes());
  }
  if (whole) {
    schedule::Tensorize(s[y], t.x_inner, TransposeBlock(lanes, kFloat));
  } else {
    schedule::Unroll(s[y], schedule::Split(s[y], t.x_inner, 4).second);
    schedule::Vectorize(s[y], t.y_inner);
  }
  return {s, {x, y}};
}

Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine) {
  std::vector<Tensor> args;
  int64_t total = 0;
  for (const int64_t extent : columns) {
    args.push_back(te::Placeholder({ir::Int(rows), ir::Int(extent)}, kFloat,
                                   "x" + std::to_string(args.size())));
    total += extent;
  }
  const Tensor y = te::Compute(
      {ir::Int(rows), ir::Int(total)},
      [&](const te::Indices& i) {
        int64_t begin = total;
        Expr out;
        for (size_t k = columns.size(); k-- > 0;) {
          begin -= columns[k];
          const Expr element = te::At(args[k], {i[0], i[1] - begin});
          out = !out ? element : ir::IfThenElse(i[1] >= begin + columns[k], out, element);
        }
        return out;
      },
      "y");
  Schedule s = schedule::CreateSchedule({y->op});
  if (WorthThreads(static_cast<double>(rows * total))) schedule::Parallel(s[y], AxisOf(y, 0));
  StreamResults(s[y], AxisOf(y, 0), rows * total * kFloat.bytes());
  VectorizeInner(s[y], AxisOf(y, 1), 1, machine.Lanes(kFloat));
  args.push_back(y);
  return {s, args};
}

}  // namespace lathe::topi::cpu
