#include "topi/cpu/rows.h"

#include "ir/intrinsic.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;
using te::At;
using te::Compute;
using te::Indices;
using te::Tensor;

constexpr DataType kFloat = DataType::Float(32);

// A reduction of x's rows.
template <class F>
Tensor ReduceRows(int64_t rows, int64_t columns, const char* name, F value,
                  Expr (*reduce)(Expr, std::vector<IterVar>, Expr, Expr)) {
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(columns), "k");
  return Compute({ir::Int(rows)},
                 [&](const Indices& i) { return reduce(value(i[0], k->var), {k}, {}, {}); }, name,
                 {.axis_names = {"i"}});
}

// All stages but the last are computed for one row of the last one's.
void ComputeByRows(Schedule& s, const Tensor& last, const std::vector<Tensor>& maps,
                   const std::vector<Tensor>& reductions, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(kFloat);
  const IterVar row = AxisOf(last, 0);
  for (const Tensor& map : maps) {
    schedule::ComputeAt(s[map], s[last], row);
    VectorizeInner(s[map], AxisOf(map, 1), 4, lanes);
  }
  for (const Tensor& reduction : reductions) {
    for (const Tensor& partial : ReduceInVectors(s, reduction, 4, lanes)) {
      schedule::ComputeAt(s[partial], s[last], row);
    }
    schedule::ComputeAt(s[reduction], s[last], row);
  }
  VectorizeInner(s[last], AxisOf(last, 1), 4, lanes);
}

}  // namespace

Kernel Softmax(int64_t rows, int64_t columns, const target::Machine& machine) {
  const te::Shape shape = {ir::Int(rows), ir::Int(columns)};
  const te::ComputeOptions names = {.axis_names = {"i", "j"}};
  const Tensor x = te::Placeholder(shape, kFloat, "x");
  const Tensor largest =
      ReduceRows(rows, columns, "largest", [&](Expr i, Expr k) { return At(x, {i, k}); }, te::Max);
  const Tensor powers = Compute(
      shape,
      [&](const Indices& i) {
        return ir::CallIntrinsic("exp", {At(x, {i[0], i[1]}) - At(largest, {i[0]})});
      },
      "powers", names);
  const Tensor sum =
      ReduceRows(rows, columns, "sum", [&](Expr i, Expr k) { return At(powers, {i, k}); }, te::Sum);
  const Tensor scale = Compute(
      {ir::Int(rows)}, [&](const Indices& i) { return ir::Const(1.0, kFloat) / At(sum, {i[0]}); },
      "scale", {.axis_names = {"i"}});
  const Tensor y = Compute(
      shape, [&](const Indices& i) { return At(powers, {i[0], i[1]}) * At(scale, {i[0]}); }, "y",
      names);

  Schedule s = schedule::CreateSchedule({y->op});
  schedule::ComputeAt(s[scale], s[y], AxisOf(y, 0));
  ComputeByRows(s, y, {powers}, {largest, sum}, machine);
  if (WorthThreads(16.0 * static_cast<double>(rows * columns))) {
    schedule::Parallel(s[y], AxisOf(y, 0));
    StreamResults(s[y], AxisOf(y, 0), rows * columns * kFloat.bytes());
  }
  return {s, {x, y}};
}

Kernel LayerNorm(int64_t rows, int64_t columns, double epsilon, const target::Machine& machine) {
  const te::Shape shape = {ir::Int(rows), ir::Int(columns)};
  const Tensor x = te::Placeholder(shape, kFloat, "x");
  const Tensor gamma = te::Placeholder({ir::Int(columns)}, kFloat, "scale");
  const Tensor beta = te::Placeholder({ir::Int(columns)}, kFloat, "shift");
  const double share = 1.0 / static_cast<double>(columns);
  const Tensor sum =
      ReduceRows(rows, columns, "sum", [&](Expr i, Expr k) { return At(x, {i, k}); }, te::Sum);
  const auto centred = [&](const Expr& i, const Expr& j) {
    return At(x, {i, j}) - At(sum, {i}) * ir::Const(share, kFloat);
  };
  const Tensor squares = ReduceRows(
      rows, columns, "squares", [&](Expr i, Expr k) { return centred(i, k) * centred(i, k); },
      te::Sum);
  const Tensor factor =
      Compute({ir::Int(rows)},
              [&](const Indices& i) {
                return ir::Const(1.0, kFloat) /
                       ir::CallIntrinsic("sqrt", {At(squares, {i[0]}) * ir::Const(share, kFloat) +
                                                  ir::Const(epsilon, kFloat)});
              },
              "factor", {.axis_names = {"i"}});
  const Tensor y = Compute(shape,
                           [&](const Indices& i) {
                             return centred(i[0], i[1]) * At(factor, {i[0]}) * At(gamma, {i[1]}) +
                                    At(beta, {i[1]});
                           },
                           "y", {.axis_names = {"i", "j"}});

  Schedule s = schedule::CreateSchedule({y->op});
  schedule::ComputeAt(s[factor], s[y], AxisOf(y, 0));
  ComputeByRows(s, y, {}, {sum, squares}, machine);
  if (WorthThreads(8.0 * static_cast<double>(rows * columns))) {
    schedule::Parallel(s[y], AxisOf(y, 0));
    StreamResults(s[y], AxisOf(y, 0), rows * columns * kFloat.bytes());
  }
  return {s, {x, gamma, beta, y}};
}

}  // namespace lathe::topi::cpu
