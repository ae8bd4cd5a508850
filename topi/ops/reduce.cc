#include "topi/ops/reduce.h"

#include "topi/anchor.h"
#include "topi/ops/operands.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;
using ir::IterVar;

// The operand of the reduction: element k of row (column) `at` of x.
Expr ElementOf(const te::Tensor& x, Along along, const Expr& at, const Expr& k) {
  return along == Along::kRows ? te::At(x, {at, k}) : te::At(x, {k, at});
}

}  // namespace

te::Tensor Reduce(const te::Tensor& x, Reduction reduction, Along along) {
  Operands(reduction == Reduction::kSum ? "sum" : "max")
      .HaveRank({"x", x}, 2, 2, "2 (rows, columns)");
  const bool by_rows = along == Along::kRows;
  const IterVar k = te::ReduceAxis(ir::Int(0), x->shape()[by_rows ? 1 : 0], "k");
  return te::Compute({x->shape()[by_rows ? 0 : 1]},
                     [&](const te::Indices& i) {
                       const Expr element = ElementOf(x, along, i[0], k->var);
                       return reduction == Reduction::kSum ? te::Sum(element, {k})
                                                           : te::Max(element, {k});
                     },
                     "y", {.attrs = AnchorAttrs(by_rows ? kRowReduction : kColumnReduction)});
}

std::vector<te::Tensor> ArgMax(const te::Tensor& x, Along along) {
  Operands("argmax").HaveRank({"x", x}, 2, 2, "2 (rows, columns)");
  const bool by_rows = along == Along::kRows;
  const IterVar k = te::ReduceAxis(ir::Int(0), x->shape()[by_rows ? 1 : 0], "k");
  return te::ComputeTuple({x->shape()[by_rows ? 0 : 1]},
                          [&](const te::Indices& i) {
                            return te::ArgMax(k->var, ElementOf(x, along, i[0], k->var), {k});
                          },
                          "y", {.attrs = AnchorAttrs(by_rows ? kRowReduction : kColumnReduction)});
}

}  // namespace lathe::topi::ops
