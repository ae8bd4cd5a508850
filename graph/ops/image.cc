// Resizing of images.
//
// A place of the result has a real place in the image, which is a fraction of integers: it is
// followed exactly, so which element is nearest does not depend on how a machine rounds. Images are
// interpolated along one dimension after the other.
#include <cmath>

#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/elements.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

DataType RealType(DataType dtype) {
  return dtype.is_float() && dtype.bits() == 64 ? dtype : DataType::Float(32);
}

// Where the places of one dimension come from.
struct Source {
  Expr whole;        // the place, rounded down
  Expr part;         // what was cut off, in [0, 1)
  Expr nearest;      // the element that is meant by the method "nearest_neighbor"
  Expr beyond = {};  // is the place outside of the image? Null: it cannot be
};

class Resizer {
 public:
  explicit Resizer(const ComputeContext& c, DataType real)
      : mode_(c.attrs.String("coordinate_transformation_mode")),
        rounding_(c.attrs.String("rounding_method")),
        real_(real) {
    if (c.size() > 1) roi_ = c.in(1);
    if (rounding_.empty()) rounding_ = mode_ == "align_corners" ? "round" : "floor";
  }

  // Is a dimension that keeps its extent copied?
  bool KeepsEqualExtents() const {
    return mode_ != "tf_half_pixel_for_nn" && mode_ != "tf_crop_and_resize";
  }

  // Place `i` of `out` in dimension d of `rank`, which has the extent `in`.
  Source Of(const Expr& i, const Expr& in, const Expr& out, size_t d, size_t rank) const {
    if (mode_ == "tf_crop_and_resize") return InCrop(i, in, out, d, rank);
    const DataType wide = WideEnough(in, out);
    const Expr at = ir::MakeCast(wide, i), n = ir::MakeCast(wide, in), m = ir::MakeCast(wide, out);
    Expr above, below;
    if (mode_ == "asymmetric") {
      above = at * n;
      below = m;
    } else if (mode_ == "align_corners") {
      above = at * (n - 1);
      below = ir::MakeMax(m - 1, Num(1, wide));
    } else {
      above = (at * 2 + 1) * n;
      below = m * 2;
      if (mode_ != "tf_half_pixel_for_nn") above = above - m;
      if (mode_ == "pytorch_half_pixel") {
        above = ir::MakeSelect(Num(1, wide) < m, above, Num(0, wide));
      }
    }
    const Expr whole = ir::FloorDivide(above, below);
    Expr nearest = whole;
    if (rounding_ == "ceil") {
      nearest = ir::CeilDivide(above, below);
    } else if (rounding_ == "round_prefer_floor") {
      nearest = ir::CeilDivide(above * 2 - below, below * 2);
    } else if (rounding_ != "floor") {
      nearest = ir::FloorDivide(above * 2 + below, below * 2);
    }
    return {ir::MakeCast(i->dtype, whole),
            ir::MakeCast(real_, above - whole * below) / ir::MakeCast(real_, below),
            ir::MakeCast(i->dtype, nearest)};
  }

 private:
  static DataType WideEnough(const Expr& in, const Expr& out) {
    const int64_t *n = ir::AsConstInt(in), *m = ir::AsConstInt(out);
    const bool is_small = n != nullptr && m != nullptr && *n < 16384 && *m < 16384;
    return DataType::Int(is_small ? 32 : 64);
  }

  Source InCrop(const Expr& i, const Expr& in, const Expr& out, size_t d, size_t rank) const {
    const auto corner = [&](size_t at) {
      return ir::MakeCast(real_, At(roi_, {ir::Int(static_cast<int64_t>(at))}));
    };
    const Expr start = corner(d), end = corner(d + rank);
    const Expr last = ir::MakeCast(real_, in - 1);
    const Expr steps = ir::MakeCast(real_, ir::MakeMax(out - 1, Num(1, out->dtype)));
    const Expr along = ir::MakeCast(real_, i) * ((end - start) * last / steps);
    const Expr x = ir::MakeSelect(Num(1, out->dtype) < out, start * last + along,
                                  Num(0.5, real_) * (start + end) * last);
    Expr nearest = rounding_ == "ceil"                 ? Fn(fn::kCeil, {x})
                   : rounding_ == "floor"              ? Fn(fn::kFloor, {x})
                   : rounding_ == "round_prefer_floor" ? Fn(fn::kCeil, {x - Num(0.5, real_)})
                                                       : Fn(fn::kFloor, {x + Num(0.5, real_)});
    // Places that are far outside are not read, but have to be integers.
    const Expr inside = ir::MakeMax(ir::MakeMin(x, last), Num(0, real_));
    const Expr whole = Fn(fn::kFloor, {inside});
    nearest = ir::MakeMax(ir::MakeMin(nearest, last), Num(0, real_));
    return {ir::MakeCast(i->dtype, whole), inside - whole, ir::MakeCast(i->dtype, nearest),
            ir::LogicalOr(x < Num(0, real_), last < x)};
  }

  std::string mode_, rounding_;
  DataType real_;
  Tensor roi_;
};

// The weights of the elements -1, 0, 1, 2 around a place [Keys, 1981].
std::vector<Expr> CubicWeights(const Expr& t, double alpha) {
  const auto num = [&](double value) { return Num(value, t->dtype); };
  const auto near = [&](const Expr& x) {
    return ((num(alpha + 2) * x - num(alpha + 3)) * x) * x + num(1);
  };
  const auto far = [&](const Expr& x) {
    return ((num(alpha) * x - num(5 * alpha)) * x + num(8 * alpha)) * x - num(4 * alpha);
  };
  const Expr rest = num(1) - t;
  return {far(t + num(1)), near(t), near(rest), far(rest + num(1))};
}

// A real number as an element: integers are rounded and stay within their type.
Expr AsElement(const Expr& value, DataType dtype) {
  if (dtype.is_float()) return ir::MakeCast(dtype, value);
  const Expr low = ir::MakeCast(value->dtype, te::MinValue(dtype));
  const Expr high = ir::MakeCast(value->dtype, te::MaxValue(dtype));
  return ir::MakeCast(dtype, ir::MakeMin(ir::MakeMax(Fn(fn::kNearbyint, {value}), low), high));
}

Results ComputeResize(const ComputeContext& c, size_t rank) {
  const Layout layout(c.attrs.String("layout"));
  const std::string space = SpaceLetters(rank), method = c.attrs.String("method");
  const Tensor& data = c.in(0);
  const DataType real = RealType(data->dtype());
  const Resizer resizer(c, real);
  const double alpha = c.attrs.Float("cubic_alpha");
  const bool exclude = c.attrs.Int("cubic_exclude") != 0;
  const auto clamped = [](const Expr& index, const Expr& extent) {
    return ir::MakeMax(ir::MakeMin(index, extent - 1), Num(0, index->dtype));
  };
  const auto source = [&](const Expr& i, size_t d) {
    const size_t at = layout.At(space[d]);
    return resizer.Of(i, data->shape()[at], c.shape()[at], d, rank);
  };
  Tensor image = data;
  if (method != "nearest_neighbor") {
    te::Shape shape = data->shape();
    for (size_t d = 0; d < rank; ++d) {
      const size_t place = layout.At(space[d]);
      const Expr extent = shape[place];
      if (resizer.KeepsEqualExtents() && SameExtent(extent, c.shape()[place])) continue;
      shape[place] = c.shape()[place];
      image = te::Compute(
          shape,
          [&, before = image](const Indices& i) {
            const Source from = source(i[place], d);
            const std::vector<Expr> weights =
                method == "cubic" ? CubicWeights(from.part, alpha)
                                  : std::vector<Expr>{Num(1, real) - from.part, from.part};
            const int64_t first = method == "cubic" ? -1 : 0;
            Expr sum = Num(0, real), total = Num(0, real);
            for (size_t tap = 0; tap < weights.size(); ++tap) {
              const Expr index = from.whole + (first + static_cast<int64_t>(tap));
              std::vector<Expr> at = AsExprs(i);
              at[place] = clamped(index, extent);
              Expr weight = weights[tap];
              if (method == "cubic" && exclude) {
                weight = ir::MakeSelect(ir::LogicalAnd(index >= 0, index < extent), weight,
                                        Num(0, real));
                total = total + weight;
              }
              sum = sum + ir::MakeCast(real, At(before, at)) * weight;
            }
            return method == "cubic" && exclude ? sum / total : sum;
          },
          "resized");
    }
  }
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> at = AsExprs(i);
        Expr beyond = ir::Bool(false);
        for (size_t d = 0; d < rank; ++d) {
          const size_t place = layout.At(space[d]);
          const Source from = source(i[place], d);
          if (from.beyond) beyond = ir::LogicalOr(beyond, from.beyond);
          if (method == "nearest_neighbor") {
            at[place] = clamped(from.nearest, data->shape()[place]);
          }
        }
        const Expr element = At(image, at);
        const Expr value = element->dtype == c.dtype() ? element : AsElement(element, c.dtype());
        if (c.attrs.String("coordinate_transformation_mode") != "tf_crop_and_resize") return value;
        return ir::MakeSelect(
            beyond, ir::MakeCast(c.dtype(), Num(c.attrs.Float("extrapolation_value"), real)),
            value);
      },
      "image", method == "nearest_neighbor" ? te::kInjective : te::kElementwise);
}

TypeResult ResizeType(const TypeContext& c, size_t rank) {
  const auto dims = static_cast<int>(rank) + 2;
  c.NeedRank(0, dims, dims);
  const Shape size = c.attrs.Shape("size");
  if (size.size() != rank) {
    c.FailAttr("size", "has the wrong number of entries", std::to_string(rank),
               std::to_string(size.size()));
  }
  if (c.attrs.String("coordinate_transformation_mode") == "tf_crop_and_resize" && c.size() < 2) {
    c.FailAttr("coordinate_transformation_mode", "needs `roi`", "a second argument", "none");
  }
  if (c.size() > 1) {
    c.NeedRank(1, 1, 1);
    c.NeedExtent(1, 0, ir::Int(static_cast<int64_t>(2 * rank), DataType::Int(64)),
                 "the corners' coordinates");
  }
  const Layout layout(c.attrs.String("layout"));
  Shape out = c.shape(0);
  for (size_t d = 0; d < rank; ++d) {
    const size_t at = layout.At(SpaceLetters(rank)[d]);
    if (!ir::IsZero(size[d])) NeedElements(c, 0, at);
    out[at] = size[d];
  }
  const DataType dtype = c.attrs.Type("out_dtype");
  return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
}

OpDef Resize(size_t rank) {
  const std::string space = SpaceLetters(rank);
  const std::string from = rank == 1 ? "7" : rank == 2 ? "7, 5" : "4, 5, 3";
  const auto size = [&](std::vector<int64_t> extents) {
    Shape shape;
    for (size_t d = 0; d < rank; ++d) shape.push_back(ir::Int(extents[d]));
    return ShapeAttr(shape);
  };
  const auto mode = [](const char* name) { return StringAttr(name); };
  const std::string real = "float32[2, 2, " + from + "]";
  const std::string roi = "float32[" + std::to_string(2 * rank) + "] in ";
  const char* kMode = "coordinate_transformation_mode";
  return {
      .name = "image.resize" + std::to_string(rank) + "d",
      .doc =
          "An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: "
          "half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / "
          "m; "
          "pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / "
          "m; "
          "tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places "
          "outside have the nearest element of the image. Integers are rounded.",
      .inputs = {{"data", "the image, in `layout`", kNumbers},
                 {"roi",
                  "for tf_crop_and_resize: the start of each dimension, and then the end of each",
                  kFloats}},
      .attrs = {Required(Extents("size", "the new extents")),
                Choice("layout", "the dimensions of `data`", {"NC" + space, "N" + space + "C"}),
                Choice("method", "how elements are found", {"linear", "nearest_neighbor", "cubic"}),
                Choice(kMode, "the rule of places",
                       {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
                        "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
                Choice("rounding_method",
                       "which element is nearest; \"\": round with align_corners, else floor. "
                       "`round` rounds halves up",
                       {"", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}),
                Number("cubic_alpha", "the coefficient of cubic interpolation", -0.5),
                Int("cubic_exclude",
                    "1: elements outside have no weight in cubic interpolation, and the other "
                    "weights are scaled to the sum 1",
                    0, 0, 1),
                Number("extrapolation_value", "for places outside, with tf_crop_and_resize", 0),
                ElementType("out_dtype", "the type of the result; \"\": as `data`")},
      .kind = OpKind::kAnchor,  // reads its operand many times
      .optional_inputs = 1,
      .type = [rank](const TypeContext& c) { return ResizeType(c, rank); },
      .compute = [rank](const ComputeContext& c) { return ComputeResize(c, rank); },
      .examples = {{{"T[n, 3, " + from + "]"},
                    {{"size", size({5, 9, 4})}, {"method", mode("nearest_neighbor")}}},
                   {{"float32[n, 3, " + from + "]"}, {{"size", size({12, 4, 6})}}},
                   {{"T[2, " + from + ", n]"},
                    {{"size", size({10, 8, 5})},
                     {"layout", StringAttr("N" + space + "C")},
                     {"method", mode("cubic")},
                     {kMode, mode("align_corners")}}},
                   {{"T[1, 2, n" + (rank == 1 ? "" : from.substr(1)) + "]"},
                    {{"size", size({9, 3, 4})},
                     {"method", mode("cubic")},
                     {kMode, mode("pytorch_half_pixel")},
                     {"cubic_alpha", FloatAttr(-0.75)},
                     {"cubic_exclude", IntAttr(1)}}},
                   {{real},
                    {{"size", size({14, 9, 7})},
                     {"method", mode("nearest_neighbor")},
                     {kMode, mode("align_corners")},
                     {"rounding_method", mode("round_prefer_floor")}}},
                   {{real},
                    {{"size", size({3, 9, 7})},
                     {"method", mode("nearest_neighbor")},
                     {kMode, mode("tf_half_pixel_for_nn")},
                     {"rounding_method", mode("ceil")}}},
                   {{"uint8[2, 2, " + from + "] in 0:200"},
                    {{"size", size({11, 9, 7})}, {kMode, mode("asymmetric")}}},
                   {{real, roi + "0.1:1.2"},
                    {{"size", size({6, 5, 4})},
                     {kMode, mode("tf_crop_and_resize")},
                     {"extrapolation_value", FloatAttr(9)}}}}};
}

// -- Upsampling: sizes as factors.

constexpr double kMostFactor = 1 << 20;

// round(extent factor); null for an extent that is not known and a factor that is no integer.
Expr Scaled(const Expr& extent, double factor) {
  if (factor == std::floor(factor)) return extent * static_cast<int64_t>(factor);
  const int64_t* known = ir::AsConstInt(extent);
  if (known == nullptr) return {};
  return ir::Int(std::llround(static_cast<double>(*known) * factor), DataType::Int(64));
}

OpDef Upsampling() {
  return {
      .name = "nn.upsampling",
      .doc =
          "An image whose height and width are multiplied; extents are rounded. A composition of "
          "image.resize2d, with the places of align_corners or of asymmetric, as Relay has it.",
      .inputs = {{"data", "the image, in `layout`", kNumbers}},
      .attrs = {Number("scale_h", "the factor of the height", 1),
                Number("scale_w", "the factor of the width", 1),
                Choice("layout", "the dimensions of `data`", {"NCHW", "NHWC"}),
                Choice("method", "how elements are found",
                       {"nearest_neighbor", "bilinear", "bicubic"}),
                Flag("align_corners", "do the corners stay where they are?", false)},
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 4, 4);
        const Layout layout(c.attrs.String("layout"));
        Shape out = c.shape(0);
        for (const char* attr : {"scale_h", "scale_w"}) {
          Expr& extent = out[layout.At(attr[6] == 'h' ? 'H' : 'W')];
          const double factor = c.attrs.Float(attr);
          if (!(factor > 0 && factor <= kMostFactor)) {
            c.FailAttr(attr, "is no factor", "more than 0, and at most 2^20",
                       std::to_string(factor));
          }
          const Expr scaled = Scaled(extent, factor);
          if (!scaled) {
            c.FailAttr(attr, "must be an integer, because the extent is not known",
                       "an integer for the extent " + ExtentText(extent),
                       std::to_string(c.attrs.Float(attr)));
          }
          extent = scaled;
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .expand =
          [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
            const Layout layout(attrs.String("layout"));
            const Shape& shape = static_cast<const ir::TensorType&>(*x[0]->type).shape;
            const Shape size{Scaled(shape[layout.At('H')], attrs.Float("scale_h")),
                             Scaled(shape[layout.At('W')], attrs.Float("scale_w"))};
            const std::string method = attrs.String("method");
            return b.Call(
                "image.resize2d", {x[0]},
                {{"size", ShapeAttr(size)},
                 {"layout", StringAttr(layout.letters())},
                 {"method", StringAttr(method == "nearest_neighbor" ? method : method.substr(2))},
                 {"coordinate_transformation_mode",
                  StringAttr(attrs.Bool("align_corners") ? "align_corners" : "asymmetric")}});
          },
      .examples = {{{"T[n, 3, 4, 5]"}, {{"scale_h", FloatAttr(2)}, {"scale_w", FloatAttr(1.5)}}},
                   {{"T[2, n, 5, 3]"},
                    {{"scale_h", FloatAttr(3)},
                     {"layout", StringAttr("NHWC")},
                     {"method", StringAttr("bilinear")},
                     {"align_corners", BoolAttr(true)}}}}};
}

}  // namespace

std::vector<OpDef> Image() { return {Resize(1), Resize(2), Resize(3), Upsampling()}; }

}  // namespace lathe::graph::ops
