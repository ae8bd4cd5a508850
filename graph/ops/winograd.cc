// Convolutions of 3x3 by Winograd's minimal filtering, F(m x m, 3 x 3): a tile of m x m results
// takes (m + 2)^2 products per channel instead of 9 m^2.
//
// The transforms are those of Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks"
// (2015), with the points 0, 1, -1 (and 2, -2) and infinity. They make rounding errors larger: of
// float32 results with elements around 1 about 2e-6 for m = 2, 4e-6 without Winograd, and 3e-5
// for m = 4 (docs/design/experiments.md).
#include "graph/ops/blocked.h"
#include "graph/ops/families.h"
#include "topi/anchor.h"
#include "topi/part_names.h"

namespace lathe::graph::ops {
namespace {

using Elements = std::vector<Expr>;

// One-dimensional transforms. Sums that several results share are written the same way, so that
// they are computed once.

Elements TransformData(const Elements& d) {
  if (d.size() == 4) return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]};
  const auto num = [&](int value) { return Num(value, d[0]->dtype); };
  const Expr even = d[4] - num(4) * d[2], odd = d[3] - num(4) * d[1], even2 = d[4] - d[2],
             odd2 = num(2) * (d[3] - d[1]);
  return {num(4) * d[0] - num(5) * d[2] + d[4], even + odd, even - odd, even2 + odd2, even2 - odd2,
          num(4) * d[1] - num(5) * d[3] + d[5]};
}

Elements TransformResult(const Elements& p) {
  if (p.size() == 4) return {p[0] + p[1] + p[2], p[1] - p[2] - p[3]};
  const auto num = [&](int value) { return Num(value, p[0]->dtype); };
  const Expr plus1 = p[1] + p[2], minus1 = p[1] - p[2], plus2 = p[3] + p[4], minus2 = p[3] - p[4];
  return {p[0] + plus1 + plus2, minus1 + num(2) * minus2, plus1 + num(4) * plus2,
          minus1 + num(8) * minus2 + p[5]};
}

Elements TransformWeight(const Elements& w, int64_t m) {
  const auto num = [&](double value) { return Num(value, w[0]->dtype); };
  if (m == 2) {
    const Expr outer = w[0] + w[2];
    return {w[0], num(0.5) * (outer + w[1]), num(0.5) * (outer - w[1]), w[2]};
  }
  const Expr near = w[0] + w[2], far = w[0] * num(1. / 24) + w[2] * num(1. / 6),
             middle = w[1] * num(1. / 12);
  return {w[0] * num(0.25),
          num(-1. / 6) * (near + w[1]),
          num(-1. / 6) * (near - w[1]),
          far + middle,
          far - middle,
          w[2]};
}

// values[index]. A compute has one value for all positions of an axis, so results that differ along
// an axis are chosen by its index. Where the axis is unrolled, nothing of it is left.
Expr Chosen(const Expr& index, const Elements& values) {
  Expr chosen = values.back();
  for (size_t n = values.size() - 1; n-- > 0;) {
    const Expr at = Num(static_cast<int64_t>(n), index->dtype);
    chosen = ir::MakeSelect(ir::Equal(index, at), values[n], chosen);
  }
  return chosen;
}

Elements Each(int64_t count, const std::function<Expr(int64_t)>& element) {
  Elements out;
  for (int64_t n = 0; n < count; ++n) out.push_back(element(n));
  return out;
}

AttrDef TileSizeAttr() { return Int("tile_size", "rows and columns of a tile: 2 or 4", 4, 2, 4); }

int64_t CheckedTileSize(const TypeContext& c) {
  const int64_t m = c.attrs.Int("tile_size");
  if (m == 3) c.FailAttr("tile_size", "has no transforms", "2 or 4", "3");
  return m;
}

void NeedWideFloats(const TypeContext& c, size_t operand) {
  if (c.dtype(operand).is_float() && c.dtype(operand).bits() >= 32) return;
  c.FailArgument(operand, "has elements in which the transforms round too much",
                 "float32 or float64", c.dtype(operand).ToString());
}

OpDef WeightTransform() {
  return {
      .name = "nn.contrib_conv2d_winograd_weight_transform",
      .doc =
          "The kernel of a 3x3 convolution as Winograd convolutions multiply with it: G w G^T, "
          "[tile_size + 2, tile_size + 2, filters, channels].",
      .inputs = {{"weight", "[filters, channels, 3, 3], float32 or float64", kFloats}},
      .attrs = {TileSizeAttr()},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        NeedWideFloats(c, 0);
        c.NeedRank(0, 4, 4);
        const Expr three = ir::Int(3, DataType::Int(64)),
                   steps = ir::Int(CheckedTileSize(c) + 2, DataType::Int(64));
        c.NeedExtent(0, 2, three, "the rows of the window");
        c.NeedExtent(0, 3, three, "the columns of the window");
        return TensorOf(c.dtype(0), {steps, steps, c.shape(0)[0], c.shape(0)[1]});
      },
      .compute =
          [](const ComputeContext& c) {
            const int64_t m = c.attrs.Int("tile_size");
            const Tensor& w = c.in(0);
            const te::Shape& out = c.shape();
            const Tensor rows = te::Compute(
                {out[0], ir::Int(3), out[2], out[3]},
                [&](const Indices& i) {
                  return Chosen(
                      i[0],
                      TransformWeight(
                          Each(3, [&](int64_t r) { return At(w, {i[2], i[3], ir::Int(r), i[1]}); }),
                          m));
                },
                "rows");
            return One(
                out,
                [&](const Indices& i) {
                  return Chosen(
                      i[1], TransformWeight(Each(3,
                                                 [&](int64_t s) {
                                                   return At(rows, {i[0], ir::Int(s), i[2], i[3]});
                                                 }),
                                            m));
                },
                "transformed");
          },
      .examples = {{{"float32[5, 7, 3, 3]"}},
                   {{"float64[5, n, 3, 3]"}, {{"tile_size", IntAttr(2)}}}}};
}

TypeResult TypeOfConv(const TypeContext& c) {
  NeedWideFloats(c, 0);
  c.NeedRank(0, 5, 5);
  c.NeedRank(1, 6, 6);
  const Expr steps = ir::Int(CheckedTileSize(c) + 2, DataType::Int(64));
  for (const size_t d : {0, 1}) c.NeedExtent(1, d, steps, "`tile_size` plus 2");
  c.NeedExtent(1, 3, c.shape(0)[1], "the blocks of `data`");
  c.NeedExtent(1, 4, c.shape(0)[4], "the channels of a block of `data`");
  const auto padding = PaddingOf(c, "padding", 2);
  Shape out = c.shape(0);
  out[1] = c.shape(1)[2];
  out[4] = c.shape(1)[5];
  for (size_t d = 0; d < 2; ++d) {
    out[2 + d] = WindowPlaces(c.shape(0)[2 + d], ir::Int(3, DataType::Int(64)), 1, 1, padding[d]);
  }
  return TensorOf(c.dtype(0), std::move(out));
}

// The tiles of all images stand in one row, [image, row of tiles, column]: so the products are
// matrices, of as many rows as there are tiles.
Results ComputeConv(const ComputeContext& c) {
  const int64_t m = c.attrs.Int("tile_size"), steps = m + 2;
  const Tensor &data = c.in(0), &weight = c.in(1);
  const te::Shape &x = data->shape(), &u = weight->shape(), &y = c.shape();
  const Expr down = ir::FloorDivide(y[2] + (m - 1), m), across = ir::FloorDivide(y[3] + (m - 1), m),
             tiles = y[0] * down * across;
  const auto part = [](const char* name) { return topi::PartAttrs(topi::kWinograd, name); };
  const auto padding = PaddingOf(c, "padding", 2);
  const int64_t top = padding[0].first, left = padding[1].first;
  // A frame, and zeros for what the last tiles have too much.
  const Tensor padded = te::Compute(
      {x[0], x[1], down * m + 2, across * m + 2, x[4]},
      [&](const Indices& i) {
        const Expr row = i[2] - top, column = i[3] - left;
        const Expr inside = ir::Conjunction({row >= 0, row < x[2], column >= 0, column < x[3]});
        return ir::IfThenElse(inside, At(data, {i[0], i[1], row, column, i[4]}),
                              Num(0, data->dtype()));
      },
      "padded", {.attrs = part(topi::part::kPadded)});
  const te::Shape transformed_shape{ir::Int(steps), ir::Int(steps), x[1], tiles, x[4]};
  const Tensor data_rows = te::Compute(
      transformed_shape,
      [&](const Indices& i) {
        const Expr column = ir::FloorModulo(i[3], across), rest = ir::FloorDivide(i[3], across);
        const Expr row = ir::FloorModulo(rest, down), image = ir::FloorDivide(rest, down);
        return Chosen(i[0], TransformData(Each(steps, [&](int64_t r) {
                        return At(padded, {image, i[2], row * m + r, column * m + i[1], i[4]});
                      })));
      },
      "data_rows", {.attrs = part(topi::part::kDataRows)});
  const Tensor transformed =
      te::Compute(transformed_shape,
                  [&](const Indices& i) {
                    return Chosen(i[1], TransformData(Each(steps, [&](int64_t r) {
                                    return At(data_rows, {i[0], ir::Int(r), i[2], i[3], i[4]});
                                  })));
                  },
                  "transformed", {.attrs = part(topi::part::kTransformed)});
  const ir::IterVar co = te::ReduceAxis(ir::Int(0), u[3], "c.outer"),
                    ci = te::ReduceAxis(ir::Int(0), u[4], "c.inner");
  const Tensor products =
      te::Compute({ir::Int(steps), ir::Int(steps), u[2], tiles, u[5]},
                  [&](const Indices& i) {
                    return te::Sum(At(transformed, {i[0], i[1], co->var, i[3], ci->var}) *
                                       At(weight, {i[0], i[1], i[2], co->var, ci->var, i[4]}),
                                   {co, ci});
                  },
                  "products", {.attrs = topi::AnchorAttrs(topi::kWinograd)});
  const Tensor rows =
      te::Compute({ir::Int(m), ir::Int(steps), u[2], tiles, u[5]},
                  [&](const Indices& i) {
                    return Chosen(i[0], TransformResult(Each(steps, [&](int64_t e) {
                                    return At(products, {ir::Int(e), i[1], i[2], i[3], i[4]});
                                  })));
                  },
                  "rows", {.attrs = part(topi::part::kRows)});
  return One(
      y,
      [&](const Indices& i) {
        const Expr tile =
                       (i[0] * down + ir::FloorDivide(i[2], m)) * across + ir::FloorDivide(i[3], m),
                   row = ir::FloorModulo(i[2], m);
        return Chosen(ir::FloorModulo(i[3], m), TransformResult(Each(steps, [&](int64_t n) {
                        return At(rows, {row, ir::Int(n), i[1], tile, i[4]});
                      })));
      },
      "conv", {}, part(topi::part::kResult));
}

OpDef BlockedConv() {
  return {.name = "nn.contrib_conv2d_winograd_nchwc",
          .doc =
              "nn.conv2d with a window of 3x3 and channels in blocks, by Winograd's algorithm: the "
              "result is [batch, O / o, rows, columns, o]. Rounding errors are up to ten times as "
              "large.",
          .inputs = {{"data", "[batch, C / c, height, width, c], float32 or float64", kFloats},
                     {"kernel",
                      "of nn.contrib_conv2d_winograd_weight_transform, in blocks: [tile_size + 2, "
                      "tile_size + 2, O / o, C / c, c, o]",
                      kFloats, 0}},
          .attrs = {TileSizeAttr(),
                    Ints("padding", "the frame around the input, as for nn.conv2d", {0, 0}, 0)},
          .kind = OpKind::kAnchor,
          .type = TypeOfConv,
          .compute = ComputeConv,
          // With tiles of 4, float32 rounds more than the tests of all operators allow.
          .examples = {{{"float64[n, 2, 9, 7, 4]", "float64[6, 6, 3, 2, 4, 8]"}},
                       {{"float64[2, 1, 8, 8, 8]", "float64[6, 6, 2, 1, 8, 16]"},
                        {{"padding", IntsAttr({1, 1})}}},
                       {{"float64[1, 2, 9, 7, 4]", "float64[4, 4, 3, 2, 4, 8]"},
                        {{"tile_size", IntAttr(2)}, {"padding", IntsAttr({1, 0, 1, 1})}}}}};
}

}  // namespace

std::vector<OpDef> Winograd() { return {WeightTransform(), BlockedConv()}; }

}  // namespace lathe::graph::ops
