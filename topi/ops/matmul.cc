#include "topi/ops/matmul.h"

#include <string>
#include <utility>
#include <vector>

#include "topi/anchor.h"
#include "topi/ops/operands.h"
#include "topi/part_names.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;
using ir::IterVar;
using te::Tensor;

constexpr int64_t kMostOfTile = 4096;  // far beyond what registers hold

int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

void CheckProduct(std::string_view of, const Tensor& a, const Tensor& b, int most) {
  const Operands check(of);
  const int rank = a->ndim();
  check.HaveRank({"a", a}, 2, most,
                 "2 to " + std::to_string(most) + " (batches..., rows, columns)");
  check.HaveRank({"b", b}, rank, rank, std::to_string(rank) + ", as many as `a`");
  check.HaveOneType({"a", a}, {"b", b});
  for (int d = 0; d + 2 < rank; ++d) check.Agree({"a", a}, d, {"b", b}, d);
  check.Agree({"a", a}, rank - 1, {"b", b}, rank - 2);
}

}  // namespace

Tensor Matmul(const Tensor& a, const Tensor& b) {
  CheckProduct("matmul", a, b, 16);
  const size_t batches = a->shape().size() - 2;
  te::Shape shape = a->shape();
  shape.back() = b->shape().back();
  const IterVar k = te::ReduceAxis(ir::Int(0), a->shape().back(), "k");
  std::vector<std::string> names(batches, "batch");
  for (const char* name : {"i", "j"}) names.emplace_back(name);
  return te::Compute(shape,
                     [&](const te::Indices& i) {
                       std::vector<Expr> of_a(i.begin(), i.end()), of_b = of_a;
                       of_a.back() = of_b[batches] = k->var;
                       return te::Sum(te::At(a, of_a) * te::At(b, of_b), {k});
                     },
                     "C", {.attrs = AnchorAttrs(kMatmul), .axis_names = names});
}

Tensor Matvec(const Tensor& a, const Tensor& x) {
  const Operands check("matvec");
  check.HaveRank({"a", a}, 2, 2, "2 (rows, columns)");
  check.HaveRank({"x", x}, 1, 1, "1");
  check.HaveOneType({"a", a}, {"x", x});
  check.Agree({"a", a}, 1, {"x", x}, 0);
  const IterVar k = te::ReduceAxis(ir::Int(0), a->shape()[1], "k");
  return te::Compute({a->shape()[0]},
                     [&](const te::Indices& i) {
                       return te::Sum(te::At(a, {i[0], k->var}) * te::At(x, {k->var}), {k});
                     },
                     "y", {.attrs = AnchorAttrs(kMatmul), .axis_names = {"i"}});
}

Tensor MatmulInPanels(const Tensor& a, const Tensor& b, const Tile& tile) {
  const Operands check("matmul_in_panels");
  CheckProduct("matmul_in_panels", a, b, 3);
  check.InRange("rows", tile.rows, 1, kMostOfTile);
  check.InRange("columns", tile.columns, 1, kMostOfTile);
  const size_t first = a->shape().size() - 2;  // 1 if there are batches
  const DataType dtype = a->dtype();
  const int64_t m = check.Constant({"a", a}, a->ndim() - 2),
                n = check.Constant({"b", b}, b->ndim() - 1),
                k = check.Constant({"a", a}, a->ndim() - 1);
  const int64_t columns = RoundUp(n, tile.columns);
  const auto with_batch = [&](te::Shape dims) {
    if (first > 0) dims.insert(dims.begin(), a->shape()[0]);
    return dims;
  };
  // A tensor's indices: `rest`, after the batch index of `axes` if there are batches.
  const auto at = [&](const te::Indices& axes, std::vector<Expr> rest) {
    if (first > 0) rest.insert(rest.begin(), axes[0]);
    return rest;
  };
  const auto options = [&](std::vector<std::string> names, ir::Dict attrs) {
    if (first > 0) names.insert(names.begin(), "batch");
    return te::ComputeOptions{.attrs = std::move(attrs), .axis_names = std::move(names)};
  };
  const Tensor packed = te::Compute(
      with_batch({ir::Int(columns / tile.columns), ir::Int(k), ir::Int(tile.columns)}),
      [&](const te::Indices& i) {
        const Expr column = i[first] * tile.columns + i[first + 2];
        const Expr element = te::At(b, at(i, {i[first + 1], column}));
        return n == columns ? element : ir::IfThenElse(column < n, element, ir::Const(0, dtype));
      },
      "packed", options({"panel", "k", "j"}, PartAttrs(kMatmul, part::kPacked)));
  const IterVar sum = te::ReduceAxis(ir::Int(0), ir::Int(k), "k");
  const Tensor padded = te::Compute(
      with_batch({ir::Int(RoundUp(m, tile.rows)), ir::Int(columns)}),
      [&](const te::Indices& i) {
        const Expr column = i[first + 1];
        const Expr row =
            m % tile.rows == 0 ? Expr(i[first]) : ir::MakeMin(i[first], ir::Int(m - 1));
        return te::Sum(te::At(a, at(i, {row, sum->var})) *
                           te::At(packed, at(i, {ir::FloorDivide(column, tile.columns), sum->var,
                                                 ir::FloorModulo(column, tile.columns)})),
                       {sum});
      },
      "padded", options({"i", "j"}, AnchorAttrs(kMatmul)));
  return te::Compute(
      with_batch({ir::Int(m), ir::Int(n)}),
      [&](const te::Indices& i) { return te::At(padded, std::vector<Expr>(i.begin(), i.end())); },
      "C", options({"i", "j"}, PartAttrs(kMatmul, part::kResult)));
}

}  // namespace lathe::topi::ops
