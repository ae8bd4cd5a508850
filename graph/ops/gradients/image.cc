// Gradients of operators on images.
#include "graph/ops/gradients/formula.h"
#include "graph/ops/gradients/sampler.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {
namespace {

Value Eye(Builder& b, const Expr& n, DataType dtype) {
  return {&b, b.Call("eye", {}, {{"n", ShapeAttr({n})}, {"dtype", StringAttr(dtype.ToString())}})};
}

// Resizing is linear along one dimension after the other: the matrix of a dimension is the resized
// identity matrix.
Vars Resize(const GradientContext& c, size_t rank) {
  if (c.args.size() > 1 && c.wanted[1]) c.Fail(1, "places are counted as constants");
  Value g = G(c);
  const Layout layout(c.attrs.String("layout"));
  const Shape size = c.attrs.Shape("size");
  for (size_t d = 0; d < rank; ++d) {
    const size_t axis = layout.At(SpaceLetters(rank)[d]);
    const Expr& extent = X(c).shape()[axis];
    ir::Dict attrs = c.given;
    attrs["size"] = ShapeAttr({size[d]});
    attrs["layout"] = StringAttr("NCW");
    attrs["extrapolation_value"] = FloatAttr(0);
    attrs["out_dtype"] = StringAttr("");
    std::vector<Value> args{Reshape(Eye(c.builder, extent, g.dtype()), {Int64(1), extent, extent})};
    if (c.args.size() > 1) {
      const auto corner = [&](size_t at) {
        return Part(X(c, 1), 0, Int64(static_cast<int64_t>(at)), Int64(1));
      };
      args.push_back(Concatenate({corner(d), corner(d + rank)}, 0));
    }
    const Value matrix = Apply("image.resize1d", args, attrs);
    const Value rows = Reshape(matrix, {extent, size[d]});
    g = TimesMatrix(g, Transpose(rows, {1, 0}), static_cast<int64_t>(axis));
  }
  return {g};
}

// -- Grids and crops.

// x mirrored at `low` and `high` as often as it takes.
Value Reflected(const Value& x, const Value& low, const Value& high) {
  const Value span = high - low, far = Abs(x - low);
  const Value safe = Max(span, span.Like(1e-6));
  const Value turns = Apply("floor", {far / safe}), half = turns * 0.5;
  const Value rest = far - turns * safe;
  const Value is_even = half == Apply("floor", {half});
  return Where(span == 0.0, low, Where(is_even, low + rest, high - rest));
}

Value GridSample(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const Value &data = x[0], &grid = x[1];
  const auto rank = static_cast<size_t>(data.rank() - 2);
  const std::string method = attrs.String("method"), padding = attrs.String("padding_mode");
  const bool align = attrs.Bool("align_corners");
  const auto extent = [&](size_t d) { return NumberOf(b, data.shape()[d + 2], data.dtype()); };
  const auto inside = [&](const Value& place, size_t d) {
    if (padding == "zeros") return place;
    const Value last = extent(d) - 1.0;
    const double half = align ? 0 : 0.5;
    const Value mirrored =
        padding == "reflection" ? Reflected(place, last.Like(-half), last + half) : place;
    return Max(Min(mirrored, last), last.Like(0));
  };
  Shape out = grid.shape();
  const Expr places = ProductOf({out.begin() + 2, out.end()});
  std::vector<Value> at;
  for (size_t d = 0; d < rank; ++d) {
    const auto channel = static_cast<int64_t>(rank - 1 - d);
    const Value g = Reshape(Part(grid, 1, Int64(channel), Int64(1)), {out[0], places});
    Value place =
        align ? (g + 1.0) * ((extent(d) - 1.0) * 0.5) : (g + 1.0) * (extent(d) * 0.5) - 0.5;
    if (method != "bicubic") place = inside(place, d);
    at.push_back(method == "nearest" ? Apply("rint", {place}) : place);
  }
  std::function<Value(const Value&, size_t)> moved;
  if (method == "bicubic" && padding != "zeros") {
    moved = [&](const Value& place, size_t d) { return Apply("rint", {inside(place, d)}); };
  }
  const Taps taps = method == "bilinear"  ? Taps::kLinear
                    : method == "nearest" ? Taps::kNearest
                                          : Taps::kCubic;
  out[1] = data.shape()[1];
  return Reshape(SampleAt(data, at, taps, moved), out);
}

// The grid of the matrices (1 0 0; 0 1 0) has the coordinates of all places.
Vars AffineGrid(const GradientContext& c) {
  Builder& b = c.builder;
  const Value g = G(c);
  const Shape& shape = g.shape();
  const Expr places = ProductOf({shape[2], shape[3]});
  const Value unit = Part(Eye(b, Int64(3), g.dtype()), 0, Int64(0), Int64(2));
  const Value grid =
      Apply("image.affine_grid", {Reshape(unit, {Int64(1), Int64(2), Int64(3)})}, c.given);
  const Value rows =
      Concatenate({Reshape(grid, {Int64(2), places}), Ones(b, {Int64(1), places}, g.dtype())}, 0);
  return {Apply("matmul", {Reshape(g, {shape[0], Int64(2), places}), rows},
                {{"transpose_b", BoolAttr(true)}})};
}

Value CropAndResize(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const std::string layout = attrs.String("layout");
  const Value images = Take(layout == "NCHW" ? x[0] : Transpose(x[0], {0, 3, 1, 2}), x[2], 0);
  const Value boxes = Cast(x[1], images.dtype());
  const bool nearest = attrs.String("method") == "nearest_neighbor";
  const Shape size = attrs.Shape("crop_size");
  const Expr count = boxes.shape()[0], places = ProductOf(size);
  std::vector<Value> at;
  Value inside;
  for (const size_t d : {0, 1}) {
    const Value last = NumberOf(b, images.shape()[d + 2] - 1, images.dtype());
    const auto corner = [&](size_t k) {
      return Part(boxes, 1, Int64(static_cast<int64_t>(k)), Int64(1));
    };
    const Value from = corner(d), to = corner(d + 2);
    const Value steps = NumberOf(b, ir::MakeMax(size[d] - 1, Int64(1)), images.dtype());
    const Value i = Reshape(Arange(b, size[d], images.dtype()), {Int64(1), size[d]});
    const Value y = ir::IsOne(size[d]) ? (from + to) * 0.5 * last
                                       : from * last + i * ((to - from) * last / steps);
    // [k, height, width]
    const Shape along = d == 0 ? Shape{count, size[0], Int64(1)} : Shape{count, Int64(1), size[1]};
    const Value everywhere = BroadcastTo(Reshape(y, along), {count, size[0], size[1]});
    const Value flat = Reshape(everywhere, {count, places});
    const Value here = flat >= 0.0 && flat <= last;
    inside = d == 0 ? here : inside && here;
    at.push_back(nearest ? Apply("round", {flat}) : flat);
  }
  const Value crops = SampleAt(images, at, nearest ? Taps::kNearest : Taps::kLinear);
  const Value filled = Where(Apply("expand_dims", {inside}, {{"axis", IntAttr(1)}}), crops,
                             attrs.Float("extrapolation_value"));
  const Value out = Reshape(filled, {count, images.shape()[1], size[0], size[1]});
  return layout == "NCHW" ? out : Transpose(out, {0, 2, 3, 1});
}

// The taps of all places, moved, are the columns of a product of matrices.
Value Deformable(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const Value &data = x[0], &offset = x[1], &weight = x[2];
  const auto two = [&](const char* name) {
    std::vector<int64_t> values = attrs.Ints(name);
    if (values.size() == 1) values.resize(2, values[0]);
    return values;
  };
  const std::vector<int64_t> strides = two("strides"), dilation = two("dilation"),
                             padding = two("padding");
  const Expr moves = Int64(attrs.Int("deformable_groups")), groups = Int64(attrs.Int("groups"));
  const Shape &n = data.shape(), &w = weight.shape(), &o = offset.shape();
  const Expr samples = n[0] * moves, taps = w[2] * w[3], places = o[2] * o[3];
  const Shape all{samples, w[2], w[3], o[2], o[3]};
  // [samples, taps, 2, rows, columns]
  const Value by = Reshape(offset, {samples, taps, Int64(2), places});
  std::vector<Value> at;
  for (const size_t d : {0, 1}) {
    const auto along = [&](const Expr& extent, int64_t step, size_t axis) {
      return AlongAxis(Arange(b, extent, data.dtype()) * static_cast<double>(step),
                       static_cast<int64_t>(axis), 5);
    };
    const Value start = along(o[d + 2], strides[d], d + 3) + along(w[d + 2], dilation[d], d + 1) -
                        static_cast<double>(padding[d]);
    const Value moved = Reshape(Part(by, 2, Int64(static_cast<int64_t>(d)), Int64(1)), all);
    at.push_back(Reshape(start + moved, {samples, taps * places}));
  }
  const Value images = Reshape(data, {samples, ir::FloorDivide(n[1], moves), n[2], n[3]});
  Value read = SampleAt(images, at, Taps::kLinear);
  if (x.size() > 3) read = read * Reshape(x[3], {samples, Int64(1), taps * places});
  const Value columns = Reshape(read, {n[0], groups, w[1] * taps, places});
  const Value filters = Reshape(weight, {groups, ir::FloorDivide(w[0], groups), w[1] * taps});
  return Reshape(Apply("matmul", {filters, columns}), {n[0], w[0], o[2], o[3]});
}

// -- Colours.

// A linear map of the channels: its matrix is the result for the identity matrix.
Vars Colour(const GradientContext& c) {
  const Value g = G(c);
  const Value matrix =
      Apply(c.op.name, {Eye(c.builder, Int64(3), g.dtype())}, {{"axis", IntAttr(-1)}});
  return {TimesMatrix(g, Transpose(matrix, {1, 0}), FromFront(c.attrs.Int("axis"), g.rank()))};
}

Value Hsv(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const int64_t axis = FromFront(attrs.Int("axis"), x[0].rank());
  const auto channel = [&](int64_t k) { return Part(x[0], axis, Int64(k), Int64(1)); };
  const Value r = channel(0), g = channel(1), b = channel(2);
  const Value most = Max(Max(r, g), b), range = most - Min(Min(r, g), b);
  const auto safe = [](const Value& v) { return Where(v == 0.0, v.Like(1), v); };
  const Value sixth = 1.0 / (safe(range) * 6.0);
  const Value hue = Where(most == r, (g - b) * sixth,
                          Where(most == g, (b - r) * sixth + 2.0 / 6, (r - g) * sixth + 4.0 / 6));
  return Concatenate({Where(hue < 0.0, hue + 1.0, hue), range / safe(most), most}, axis);
}

}  // namespace

Gradients ImageGradients() {
  Gradients g;
  for (const size_t rank : {1, 2, 3}) {
    g["image.resize" + std::to_string(rank) + "d"] = [rank](const GradientContext& c) {
      return Resize(c, rank);
    };
  }
  g["image.grid_sample"] = ByComposition(GridSample);
  g["image.affine_grid"] = AffineGrid;
  g["image.crop_and_resize"] = ByComposition(CropAndResize);
  g["nn.deformable_conv2d"] = ByComposition(Deformable);
  for (const char* name : {"image.rgb_to_grayscale", "image.rgb_to_yuv", "image.yuv_to_rgb"}) {
    g[name] = Colour;
  }
  g["image.rgb_to_hsv"] = ByComposition(Hsv);
  return g;
}

}  // namespace lathe::graph::ops
