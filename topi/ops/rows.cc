#include "topi/ops/rows.h"

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "topi/anchor.h"
#include "topi/ops/operands.h"
#include "topi/part_names.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;
using ir::IterVar;
using te::At;
using te::Compute;
using te::Indices;
using te::Tensor;

// A reduction of each row of x, as a part of an operator of `kind`.
template <class F>
Tensor ReduceRows(const Tensor& x, std::string_view kind, const char* name, F value,
                  Expr (*reduce)(Expr, std::vector<IterVar>, Expr, Expr)) {
  const IterVar k = te::ReduceAxis(ir::Int(0), x->shape()[1], "k");
  return Compute({x->shape()[0]},
                 [&](const Indices& i) { return reduce(value(i[0], k->var), {k}, {}, {}); }, name,
                 {.attrs = PartAttrs(kind, name), .axis_names = {"i"}});
}

}  // namespace

Tensor Softmax(const Tensor& x) {
  const Operands check("softmax");
  check.HaveRank({"x", x}, 2, 2, "2 (rows, columns)");
  check.AreFloats({"x", x});
  const Tensor largest =
      ReduceRows(x, kSoftmax, "largest", [&](Expr i, Expr k) { return At(x, {i, k}); }, te::Max);
  const Tensor powers = Compute(
      x->shape(),
      [&](const Indices& i) {
        return ir::CallIntrinsic(ir::intrinsic::kExp, {At(x, {i[0], i[1]}) - At(largest, {i[0]})});
      },
      "powers", {.attrs = PartAttrs(kSoftmax, part::kPowers), .axis_names = {"i", "j"}});
  const Tensor sum =
      ReduceRows(x, kSoftmax, "sum", [&](Expr i, Expr k) { return At(powers, {i, k}); }, te::Sum);
  const Tensor scale =
      Compute({x->shape()[0]},
              [&](const Indices& i) { return ir::Const(1.0, x->dtype()) / At(sum, {i[0]}); },
              "scale", {.attrs = PartAttrs(kSoftmax, part::kScale), .axis_names = {"i"}});
  return Compute(x->shape(),
                 [&](const Indices& i) { return At(powers, {i[0], i[1]}) * At(scale, {i[0]}); },
                 "y", {.attrs = AnchorAttrs(kSoftmax), .axis_names = {"i", "j"}});
}

Tensor LayerNorm(const Tensor& x, const Tensor& scale, const Tensor& shift, double epsilon) {
  const Operands check("layer_norm");
  check.HaveRank({"x", x}, 2, 2, "2 (rows, columns)");
  check.AreFloats({"x", x});
  for (const Operand& row : {Operand{"scale", scale}, Operand{"shift", shift}}) {
    check.HaveRank(row, 1, 1, "1 (columns)");
    check.HaveOneType({"x", x}, row);
    check.Agree({"x", x}, 1, row, 0);
  }
  const DataType dtype = x->dtype();
  const Expr share = ir::Const(1.0 / static_cast<double>(check.Constant({"x", x}, 1)), dtype);
  const Tensor sum =
      ReduceRows(x, kLayerNorm, "sum", [&](Expr i, Expr k) { return At(x, {i, k}); }, te::Sum);
  const auto centred = [&](const Expr& i, const Expr& j) {
    return At(x, {i, j}) - At(sum, {i}) * share;
  };
  const Tensor squares = ReduceRows(
      x, kLayerNorm, "squares", [&](Expr i, Expr k) { return centred(i, k) * centred(i, k); },
      te::Sum);
  const Tensor factor =
      Compute({x->shape()[0]},
              [&](const Indices& i) {
                return ir::Const(1.0, dtype) /
                       ir::CallIntrinsic(ir::intrinsic::kSqrt,
                                         {At(squares, {i[0]}) * share + ir::Const(epsilon, dtype)});
              },
              "factor", {.attrs = PartAttrs(kLayerNorm, part::kFactor), .axis_names = {"i"}});
  return Compute(x->shape(),
                 [&](const Indices& i) {
                   return centred(i[0], i[1]) * At(factor, {i[0]}) * At(scale, {i[1]}) +
                          At(shift, {i[1]});
                 },
                 "y", {.attrs = AnchorAttrs(kLayerNorm), .axis_names = {"i", "j"}});
}

}  // namespace lathe::topi::ops
