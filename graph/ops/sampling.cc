// Reading images at real places: grids and crops.
#include "graph/ops/sampling.h"

#include "graph/ops/families.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {

namespace fn = ir::intrinsic;

DataType PlaceType(DataType data) {
  return data.is_float() && data.bits() == 64 ? data : DataType::Float(32);
}

namespace {

// `x`, but not so far outside of [0, extent) that it would be no integer of 32 bits. What is more
// than `taps` outside reads nothing either way.
Expr Nearby(const Expr& x, const Expr& extent, int64_t taps) {
  const Expr low = Num(-taps, x->dtype), high = ir::MakeCast(x->dtype, extent + taps);
  return ir::MakeMax(ir::MakeMin(x, high), low);
}

Tap TapAt(const Expr& whole, int64_t offset, const Expr& weight, const Expr& extent) {
  const Expr index = ir::MakeCast(DataType::Int(32), whole) + offset;
  return {index, weight, ir::LogicalAnd(index >= 0, index < extent)};
}

}  // namespace

std::vector<Tap> LinearTaps(const Expr& x, const Expr& extent) {
  const Expr near = Nearby(x, extent, 2), whole = Fn(fn::kFloor, {near}), part = near - whole;
  return {TapAt(whole, 0, Num(1, x->dtype) - part, extent), TapAt(whole, 1, part, extent)};
}

std::vector<Tap> CubicTaps(const Expr& x, const Expr& extent, double alpha) {
  const Expr near = Nearby(x, extent, 4), whole = Fn(fn::kFloor, {near}), t = near - whole;
  const auto num = [&](double value) { return Num(value, x->dtype); };
  const auto inner = [&](const Expr& d) {
    return (num(alpha + 2) * d - num(alpha + 3)) * d * d + num(1);
  };
  const auto outer = [&](const Expr& d) {
    return ((num(alpha) * d - num(5 * alpha)) * d + num(8 * alpha)) * d - num(4 * alpha);
  };
  return {TapAt(whole, -1, outer(t + num(1)), extent), TapAt(whole, 0, inner(t), extent),
          TapAt(whole, 1, inner(num(1) - t), extent), TapAt(whole, 2, outer(num(2) - t), extent)};
}

std::vector<Tap> NearestTap(const Expr& x, const Expr& extent) {
  return {TapAt(Nearby(x, extent, 2), 0, {}, extent)};
}

Expr SumOfTaps(const std::vector<std::vector<Tap>>& dimensions, DataType type,
               const std::function<Expr(const std::vector<Expr>& indices)>& read) {
  Expr sum;
  std::vector<size_t> at(dimensions.size(), 0);
  while (true) {
    std::vector<Expr> indices, inside;
    Expr weight;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      const Tap& tap = dimensions[d][at[d]];
      indices.push_back(tap.index);
      inside.push_back(tap.inside);
      if (tap.weight) weight = weight ? weight * tap.weight : tap.weight;
    }
    const Expr element =
        ir::IfThenElse(ir::Conjunction(inside), ir::MakeCast(type, read(indices)), Num(0, type));
    const Expr term = weight ? element * weight : element;
    sum = sum ? sum + term : term;
    size_t d = 0;
    while (d < at.size() && ++at[d] == dimensions[d].size()) at[d++] = 0;
    if (d == at.size()) return sum;
  }
}

namespace {

// -- Grids.

// x mirrored at `low` and `high` as often as it takes.
Expr Reflected(const Expr& x, const Expr& low, const Expr& high) {
  const DataType type = x->dtype;
  const Expr span = high - low;
  const Expr far = Fn(fn::kAbs, {x - low});
  const Expr safe = ir::MakeMax(span, Num(1e-6, type));
  const Expr turns = Fn(fn::kFloor, {far / safe});
  const Expr rest = far - turns * safe;
  const Expr half = turns * Num(0.5, type);
  const Expr is_even = ir::Equal(half, Fn(fn::kFloor, {half}));
  return ir::MakeSelect(ir::Equal(span, Num(0, type)), low,
                        ir::MakeSelect(is_even, low + rest, high - rest));
}

struct GridCall {
  explicit GridCall(const ComputeContext& c)
      : method(c.attrs.String("method")),
        padding(c.attrs.String("padding_mode")),
        align_corners(c.attrs.Bool("align_corners")) {}
  // A place that is outside, mirrored if `padding_mode` says so.
  Expr Mirrored(const Expr& x, const Expr& extent) const {
    if (padding != "reflection") return x;
    const DataType type = x->dtype;
    const Expr half = Num(align_corners ? 0 : 0.5, type);
    return Reflected(x, Num(0, type) - half, ir::MakeCast(type, extent - 1) + half);
  }
  // A place that is outside, moved inside as `padding_mode` says.
  Expr Inside(const Expr& x, const Expr& extent) const {
    if (padding == "zeros") return x;
    const DataType type = x->dtype;
    const Expr last = ir::MakeCast(type, extent - 1);
    return ir::MakeMax(ir::MakeMin(Mirrored(x, extent), last), Num(0, type));
  }
  std::string method, padding;
  bool align_corners;
};

Results ComputeGridSample(const ComputeContext& c) {
  const GridCall call(c);
  const Tensor &data = c.in(0), &grid = c.in(1);
  const size_t rank = data->shape().size() - 2;
  const DataType type = PlaceType(data->dtype());
  // Places in elements, the last dimension of space first, as the grid has them.
  const Tensor places = te::Compute(
      grid->shape(),
      [&](const Indices& i) {
        const Expr g = ir::MakeCast(type, At(grid, AsExprs(i)));
        Expr extent = data->shape()[2];
        for (size_t d = 1; d < rank; ++d) {
          extent =
              ir::MakeSelect(ir::Equal(i[1], Num(static_cast<int64_t>(rank - 1 - d), i[1]->dtype)),
                             data->shape()[d + 2], extent);
        }
        const Expr n = ir::MakeCast(type, extent), half = Num(0.5, type), one = Num(1, type);
        Expr x =
            call.align_corners ? (g + one) * (half * (n - one)) : (g + one) * (half * n) - half;
        // Each tap of a cubic is moved inside by itself. But a place far outside is mirrored
        // before, because CubicTaps keeps places near the image; that changes no tap's weight.
        x = call.method == "bicubic" ? call.Mirrored(x, extent) : call.Inside(x, extent);
        return call.method == "nearest" ? Fn(fn::kNearbyint, {x}) : x;
      },
      "places");
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<std::vector<Tap>> taps;
        for (size_t d = 0; d < rank; ++d) {
          std::vector<Expr> at{i[0], ir::Int(static_cast<int64_t>(rank - 1 - d))};
          at.insert(at.end(), i.begin() + 2, i.end());
          const Expr x = At(places, at), extent = data->shape()[d + 2];
          taps.push_back(call.method == "bilinear"  ? LinearTaps(x, extent)
                         : call.method == "nearest" ? NearestTap(x, extent)
                                                    : CubicTaps(x, extent, -0.75));
          if (call.method != "bicubic" || call.padding == "zeros") continue;
          for (Tap& tap : taps.back()) {
            const Expr moved = call.Inside(ir::MakeCast(type, tap.index), extent);
            tap.index = ir::MakeCast(DataType::Int(32), Fn(fn::kNearbyint, {moved}));
            tap.inside = ir::LogicalAnd(tap.index >= 0, tap.index < extent);
          }
        }
        return ir::MakeCast(c.dtype(), SumOfTaps(taps, type, [&](const std::vector<Expr>& at) {
                              std::vector<Expr> place{i[0], i[1]};
                              place.insert(place.end(), at.begin(), at.end());
                              return At(data, place);
                            }));
      },
      "image");
}

OpDef GridSample() {
  const auto text = [](const char* value) { return StringAttr(value); };
  return {
      .name = "image.grid_sample",
      .doc =
          "Elements at the places of a grid, in which -1 and 1 are the borders of the image: with "
          "align_corners the centres of the outermost elements, else their outer edges. The rules "
          "are PyTorch's grid_sample; the grid is as in Relay.",
      .inputs = {{"data", "the image, in `layout`", kFloats},
                 {"grid", "(x, y) or (x, y, z) of each place [n, 2 or 3, ...]", kFloats, 0}},
      .attrs = {Choice("method",
                       "how elements are found; bicubic with alpha = -0.75, for NCHW only",
                       {"bilinear", "nearest", "bicubic"}),
                Choice("layout", "the dimensions of `data`", {"NCHW", "NCDHW"}),
                Choice("padding_mode",
                       "what is outside: zeros, the nearest element, or the image mirrored",
                       {"zeros", "border", "reflection"}),
                Flag("align_corners", "are -1 and 1 centres of elements?", true)},
      .kind = OpKind::kAnchor,  // reads its operand many times
      .type = [](const TypeContext& c) -> TypeResult {
        const auto dims = static_cast<int>(c.attrs.String("layout").size());
        c.NeedRank(0, dims, dims);
        c.NeedRank(1, dims, dims);
        if (dims == 5 && c.attrs.String("method") == "bicubic") {
          c.FailAttr("method", "needs two dimensions of space", "bilinear or nearest", "bicubic");
        }
        c.NeedExtent(1, 0, c.shape(0)[0], "the batch of `data`");
        c.NeedExtent(1, 1, ir::Int(dims - 2, DataType::Int(64)), "the coordinates of a place");
        Shape out = c.shape(1);
        out[1] = c.shape(0)[1];
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute = ComputeGridSample,
      .examples = {
          {{"T[n, 2, 5, 6]", "T[n, 2, 3, 4] in -1.2:1.2"}},
          {{"T[2, 2, n, 6]", "T[2, 2, 3, 4] in -1.5:1.5"},
           {{"padding_mode", text("border")}, {"align_corners", BoolAttr(false)}}},
          {{"T[2, 2, 5, 6]", "T[2, 2, n, 4] in -3:3"}, {{"padding_mode", text("reflection")}}},
          {{"T[2, 2, 5, 6]", "T[2, 2, 3, 4] in -3:3"},
           {{"padding_mode", text("reflection")}, {"align_corners", BoolAttr(false)}}},
          {{"T[2, 2, 5, 6]", "T[2, 2, 3, 4] in -1.2:1.2"},
           {{"method", text("nearest")}, {"align_corners", BoolAttr(false)}}},
          {{"T[2, 2, 5, 6]", "T[2, 2, 3, 4] in -1.5:1.5"}, {{"method", text("bicubic")}}},
          {{"T[2, 2, 5, 6]", "T[2, 2, 3, 4] in -1.5:1.5"},
           {{"method", text("bicubic")},
            {"padding_mode", text("reflection")},
            {"align_corners", BoolAttr(false)}}},
          {{"T[n, 2, 3, 4, 5]", "T[n, 3, 2, 3, 4] in -1.2:1.2"},
           {{"layout", text("NCDHW")}, {"padding_mode", text("border")}}}}};
}

OpDef AffineGrid() {
  return {
      .name = "image.affine_grid",
      .doc =
          "A grid for image.grid_sample: A (x, y, 1) for each place of the result, with x and y "
          "from -1 to 1 [Jaderberg et al., 2015]. A dimension of one place is at 0, as in PyTorch.",
      .inputs = {{"data", "a matrix A for each image [n, 2, 3]", kFloats}},
      .attrs = {Required(Extents("target_shape", "height and width of the grid"))},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 3, 3);
        c.NeedExtent(0, 1, ir::Int(2, DataType::Int(64)), "the rows of a matrix");
        c.NeedExtent(0, 2, ir::Int(3, DataType::Int(64)), "the columns of a matrix");
        const Shape size = c.attrs.Shape("target_shape");
        if (size.size() != 2) {
          c.FailAttr("target_shape", "has the wrong number of entries", "2",
                     std::to_string(size.size()));
        }
        return TensorOf(c.dtype(0), {c.shape(0)[0], c.shape(0)[1], size[0], size[1]});
      },
      .compute =
          [](const ComputeContext& c) {
            const DataType type = PlaceType(c.dtype());
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const auto place = [&](size_t d) {
                    const Expr extent = c.shape()[d];
                    const Expr steps = ir::MakeCast(type, ir::MakeMax(extent - 1, ir::Int(1)));
                    const Expr at = (ir::MakeCast(type, i[d]) * Num(2, type) - steps) / steps;
                    return ir::MakeSelect(extent < 2, Num(0, type), at);
                  };
                  const auto entry = [&](int64_t column) {
                    return ir::MakeCast(type, At(c.in(0), {i[0], i[1], ir::Int(column)}));
                  };
                  return ir::MakeCast(c.dtype(),
                                      entry(0) * place(3) + entry(1) * place(2) + entry(2));
                },
                "grid");
          },
      .examples = {{{"T[n, 2, 3]"}, {{"target_shape", ShapeAttr({ir::Int(4), ir::Int(5)})}}},
                   {{"T[n, 2, 3]"}, {{"target_shape", ShapeAttr({ir::Int(1), ir::Int(3)})}}}}};
}

// -- Crops.

TypeResult CropType(const TypeContext& c) {
  c.NeedRank(0, 4, 4);
  c.NeedRank(1, 2, 2);
  c.NeedRank(2, 1, 1);
  c.NeedExtent(1, 1, ir::Int(4, DataType::Int(64)), "the coordinates of a box");
  c.NeedExtent(2, 0, c.shape(1)[0], "the number of boxes");
  const Shape size = c.attrs.Shape("crop_size");
  if (size.size() != 2) {
    c.FailAttr("crop_size", "has the wrong number of entries", "2", std::to_string(size.size()));
  }
  const Layout layout(c.attrs.String("layout"));
  Shape out = c.shape(0);
  out[0] = c.shape(1)[0];
  out[layout.At('H')] = size[0];
  out[layout.At('W')] = size[1];
  const DataType dtype = c.attrs.Type("out_dtype");
  return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
}

Results ComputeCrops(const ComputeContext& c) {
  const Tensor &data = c.in(0), &boxes = c.in(1);
  const Layout layout(c.attrs.String("layout"));
  const bool nearest = c.attrs.String("method") == "nearest_neighbor";
  const DataType type = PlaceType(data->dtype());
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr image = Index(At(c.in(2), {i[0]}));
        std::vector<std::vector<Tap>> taps;
        std::vector<Expr> inside;
        for (const int64_t d : {0, 1}) {
          const size_t at = layout.At("HW"[d]);
          const Expr n = ir::MakeCast(type, data->shape()[at] - 1);
          const auto corner = [&](int64_t k) {
            return ir::MakeCast(type, At(boxes, {i[0], ir::Int(k)}));
          };
          const Expr from = corner(d), to = corner(d + 2), m = c.shape()[at];
          const Expr steps = ir::MakeCast(type, ir::MakeMax(m - 1, ir::Int(1)));
          Expr y = ir::MakeSelect(m < 2, Num(0.5, type) * (from + to) * n,
                                  from * n + ir::MakeCast(type, i[at]) * ((to - from) * n / steps));
          inside.push_back(ir::LogicalAnd(Num(0, type) <= y, y <= n));
          if (nearest) y = Fn(fn::kRound, {y});
          taps.push_back(nearest ? NearestTap(y, data->shape()[at])
                                 : LinearTaps(y, data->shape()[at]));
        }
        const auto read = [&](const std::vector<Expr>& place) {
          return At(data, layout.Arrange<Expr>([&](char letter) -> Expr {
            if (letter == 'N') return image;
            if (letter == 'C') return i[layout.At('C')];
            return letter == 'H' ? place[0] : place[1];
          }));
        };
        Expr value = SumOfTaps(taps, type, read);
        if (!c.dtype().is_float()) value = Fn(fn::kNearbyint, {value});
        return ir::MakeSelect(
            ir::Conjunction(inside), ir::MakeCast(c.dtype(), value),
            ir::MakeCast(c.dtype(), Num(c.attrs.Float("extrapolation_value"), type)));
      },
      "crops");
}

OpDef CropAndResize() {
  return {
      .name = "image.crop_and_resize",
      .doc =
          "Boxes of images, resized to one size [TensorFlow's crop_and_resize]. Place i of m comes "
          "from y1 (n - 1) + i (y2 - y1) (n - 1) / (m - 1), or from the middle if m is 1.",
      .inputs = {{"data", "images, in `layout`", kNumbers},
                 {"boxes", "(y1, x1, y2, x2) of each box, as shares of the image [k, 4]", kFloats},
                 {"box_indices", "the image of each box [k]", kIndices}},
      .attrs = {Required(Extents("crop_size", "height and width of the results")),
                Choice("layout", "the dimensions of `data`", {"NCHW", "NHWC"}),
                Choice("method", "how elements are found", {"bilinear", "nearest_neighbor"}),
                Number("extrapolation_value", "for places outside of the image", 0),
                ElementType("out_dtype", "the type of the result; \"\": as `data`")},
      .kind = OpKind::kAnchor,  // reads its operand many times
      .type = CropType,
      .compute = ComputeCrops,
      .examples = {
          {{"T[2, 3, 5, 6]", "float32[n, 4] in -0.1:1.1", "int32[n] in 0:1"},
           {{"crop_size", ShapeAttr({ir::Int(3), ir::Int(4)})},
            {"method", StringAttr("nearest_neighbor")},
            {"extrapolation_value", FloatAttr(3)}}},
          {{"float32[2, 5, n, 3]", "float32[3, 4] in -0.1:1.1", "int64[3] in 0:1"},
           {{"crop_size", ShapeAttr({ir::Int(4), ir::Int(1)})}, {"layout", StringAttr("NHWC")}}},
          {{"float32[2, 3, 5, 6]", "float32[n, 4] in 0:1", "int32[n] in 0:1"},
           {{"crop_size", ShapeAttr({ir::Int(7), ir::Int(2)})}}}}};
}

}  // namespace

std::vector<OpDef> Sampling() { return {GridSample(), AffineGrid(), CropAndResize()}; }

}  // namespace lathe::graph::ops
