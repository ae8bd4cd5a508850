#include "topi/cpu/gemm.h"

#include <algorithm>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The program: B in panels, the product padded to whole tiles, and the part of it that is wanted.
struct Product {
  te::Tensor a, b, packed, padded, c;
};

Product Describe(const GemmShape& shape, DataType dtype, const RegisterTile& tile) {
  const int64_t m = shape.m, n = shape.n, k = shape.k;
  const int64_t panels = CeilDivide(n, tile.columns);
  const auto with_batch = [&](te::Shape dims) {
    if (shape.batch > 0) dims.insert(dims.begin(), ir::Int(shape.batch));
    return dims;
  };
  // Indices of a tensor from those of an axis list that begins with the batch, where there is one.
  const auto at = [&](const te::Indices& axes, std::vector<ir::Expr> rest) {
    if (shape.batch > 0) rest.insert(rest.begin(), axes[0]);
    return rest;
  };
  const size_t first = shape.batch > 0 ? 1 : 0;
  const auto names = [&](std::vector<std::string> of, ir::Dict attrs = {}) {
    if (shape.batch > 0) of.insert(of.begin(), "batch");
    return te::ComputeOptions{.attrs = std::move(attrs), .axis_names = std::move(of)};
  };

  Product p;
  p.a = te::Placeholder(with_batch({ir::Int(m), ir::Int(k)}), dtype, "A");
  p.b = te::Placeholder(with_batch({ir::Int(k), ir::Int(n)}), dtype, "B");
  p.packed = te::Compute(
      with_batch({ir::Int(panels), ir::Int(k), ir::Int(tile.columns)}),
      [&](const te::Indices& i) {
        const ir::Expr column = i[first] * tile.columns + i[first + 2];
        const ir::Expr element = te::At(p.b, at(i, {i[first + 1], column}));
        return n % tile.columns == 0 ? element
                                     : ir::IfThenElse(column < n, element, ir::Const(0, dtype));
      },
      "packed", names({"panel", "k", "j"}));
  const IterVar sum = te::ReduceAxis(ir::Int(0), ir::Int(k), "k");
  p.padded = te::Compute(
      with_batch({ir::Int(CeilDivide(m, tile.rows) * tile.rows), ir::Int(panels * tile.columns)}),
      [&](const te::Indices& i) {
        const ir::Expr column = i[first + 1];
        const ir::Expr row =
            m % tile.rows == 0 ? ir::Expr(i[first]) : ir::MakeMin(i[first], ir::Int(m - 1));
        return te::Sum(te::At(p.a, at(i, {row, sum->var})) *
                           te::At(p.packed, at(i, {ir::FloorDivide(column, tile.columns), sum->var,
                                                   ir::FloorModulo(column, tile.columns)})),
                       {sum});
      },
      "padded", names({"i", "j"}, AnchorAttrs(kMatmul)));
  p.c = te::Compute(
      with_batch({ir::Int(m), ir::Int(n)}),
      [&](const te::Indices& i) {
        return te::At(p.padded, std::vector<ir::Expr>(i.begin(), i.end()));
      },
      "C", names({"i", "j"}));
  return p;
}

// A B of whole panels that lies in the nearest cache as a whole is read from where it is: packing
// it would be a second pass over memory, and a panel's rows do not push each other out of it. One
// that is a panel is packed already.
bool InPlace(const GemmShape& shape, DataType dtype, const RegisterTile& tile,
             const target::Machine& machine) {
  return shape.n == tile.columns ||
         (shape.n % tile.columns == 0 && shape.k * shape.n * dtype.bytes() <= machine.l1.bytes);
}

}  // namespace

RegisterTile ChooseRegisterTile(int64_t m, int64_t n, int64_t lanes,
                                const target::Machine& machine) {
  const bool many = machine.vector_registers >= 32;
  // Of n's vectors as many as a tile takes without one that is mostly padding.
  const int64_t needed = CeilDivide(n, lanes), most = many ? 4 : 2;
  int64_t vectors = std::min(needed, most);
  for (int64_t v = vectors; v >= 2; --v) {
    if (CeilDivide(needed, v) * v < CeilDivide(needed, vectors) * vectors) vectors = v;
  }
  const int64_t limit = std::min<int64_t>((many ? 26 : 12) / vectors, many ? 14 : 12);
  RegisterTile tile{std::min(limit, m), vectors * lanes};
  for (int64_t rows = tile.rows; rows > limit / 2; --rows) {
    if (CeilDivide(m, rows) * rows < CeilDivide(m, tile.rows) * tile.rows) tile.rows = rows;
  }
  return tile;
}

Kernel Gemm(const GemmShape& shape, DataType dtype, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(dtype);
  const RegisterTile tile = ChooseRegisterTile(shape.m, shape.n, lanes, machine);
  const Product p = Describe(shape, dtype, tile);
  const size_t first = shape.batch > 0 ? 1 : 0;
  const double operations = 2.0 * static_cast<double>(std::max<int64_t>(shape.batch, 1)) *
                            static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                            static_cast<double>(shape.k);
  const bool parallel = WorthThreads(operations);
  Schedule s = schedule::CreateSchedule({p.c->op});

  auto t =
      schedule::Tile(s[p.c], AxisOf(p.c, first), AxisOf(p.c, first + 1), tile.rows, tile.columns);
  // Rows of tiles in blocks: what a thread takes at once, and what of A stays near while it does.
  // (With 16 of them two threads waited for each other at the end of a tall product.)
  auto [block, row] = schedule::Split(s[p.c], t.x_outer, 8);
  schedule::Reorder(s[p.c], {t.y_outer, block, row, t.x_inner, t.y_inner});
  schedule::Unroll(s[p.c], t.x_inner);
  VectorizeRow(s[p.c], t.y_inner, lanes);
  if (parallel) {
    std::vector<IterVar> outer = {t.y_outer, block};
    if (shape.batch > 0) outer.insert(outer.begin(), AxisOf(p.c, 0));
    schedule::Parallel(s[p.c], schedule::Fuse(s[p.c], outer));
  }

  schedule::ComputeAt(s[p.padded], s[p.c], row);
  const IterVar i = AxisOf(p.padded, first), j = AxisOf(p.padded, first + 1);
  schedule::Reorder(s[p.padded], {schedule::ReduceAxisOf(p.padded, 0), i, j});
  schedule::Unroll(s[p.padded], i);
  VectorizeRow(s[p.padded], j, lanes);

  if (InPlace(shape, dtype, tile, machine)) {
    schedule::ComputeInline(s[p.packed]);
    return {s, {p.a, p.b, p.c}};
  }
  VectorizeRow(s[p.packed], AxisOf(p.packed, first + 2), lanes);
  if (parallel) {
    std::vector<IterVar> outer = {AxisOf(p.packed, first)};
    if (shape.batch > 0) outer.insert(outer.begin(), AxisOf(p.packed, 0));
    schedule::Parallel(s[p.packed],
                       outer.size() == 1 ? outer[0] : schedule::Fuse(s[p.packed], outer));
  }
  return {s, {p.a, p.b, p.c}};
}

Kernel Gemv(int64_t m, int64_t k, DataType dtype, const target::Machine& machine) {
  const te::Tensor a = te::Placeholder({ir::Int(m), ir::Int(k)}, dtype, "A");
  const te::Tensor x = te::Placeholder({ir::Int(k)}, dtype, "x");
  const IterVar sum = te::ReduceAxis(ir::Int(0), ir::Int(k), "k");
  const te::Tensor y =
      te::Compute({ir::Int(m)},
                  [&](const te::Indices& i) {
                    return te::Sum(te::At(a, {i[0], sum->var}) * te::At(x, {sum->var}), {sum});
                  },
                  "y", {.attrs = AnchorAttrs(kMatmul), .axis_names = {"i"}});
  Schedule s = schedule::CreateSchedule({y->op});
  const int64_t lanes = machine.Lanes(dtype);
  const IterVar outer = schedule::Split(s[y], sum, lanes).first;
  const te::Tensor lane_sums = schedule::RFactor(s, y, s[y].leaf_axes.back(), /*factor_axis=*/1)[0];
  // Four rows at once: x is read once for all of them.
  auto [block, row] = schedule::Split(s[y], AxisOf(y, 0), 4);
  schedule::ComputeAt(s[lane_sums], s[y], block);
  const IterVar r = AxisOf(lane_sums, 0), lane = AxisOf(lane_sums, 1);
  schedule::Reorder(s[lane_sums], {outer, r, lane});
  schedule::Unroll(s[lane_sums], r);
  schedule::Vectorize(s[lane_sums], lane);
  schedule::Unroll(s[y], row);
  schedule::Unroll(s[y], s[y].leaf_axes.back());
  if (WorthThreads(2.0 * static_cast<double>(m) * static_cast<double>(k))) {
    schedule::Parallel(s[y], block);
  }
  return {s, {a, x, y}};
}

}  // namespace lathe::topi::cpu
