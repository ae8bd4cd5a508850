// Images: other sizes, samples, regions.
#include <algorithm>
#include <cmath>

#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/import/onnx/resize.h"

namespace lathe::graph::onnx {
namespace {

// Along one dimension: the sum of elements at constant places, times constant weights.
GraphVar ResizeAxis(NodeContext& n, const GraphVar& x, int64_t axis, const ResizeTaps& taps,
                    double extrapolation) {
  const int64_t rank = NodeContext::RankOf(x);
  const auto count = static_cast<int64_t>(taps.outside.size());
  std::vector<int64_t> shape(static_cast<size_t>(rank - axis), 1);
  shape[0] = count;
  const DataType dtype = NodeContext::DTypeOf(x);
  GraphVar sum;
  for (size_t t = 0; t < taps.places.size(); ++t) {
    const GraphVar places = n.IntTensor(taps.places[t], DataType::Int(32));
    GraphVar part = n.Call("take", {x, places}, {{"axis", IntAttr(axis)}});
    const bool all_one =
        std::ranges::all_of(taps.weights[t], [](double weight) { return weight == 1; });
    if (!all_one) {
      part = n.Mul(part, n.importer.Constant(MakeFloats(taps.weights[t], shape, dtype), n.name()));
    }
    sum = sum ? n.Add(sum, part) : part;
  }
  if (std::ranges::count(taps.outside, true) == 0) return sum;
  const std::vector<int64_t> outside(taps.outside.begin(), taps.outside.end());
  return n.Call("where", {n.importer.Constant(MakeInts(outside, shape, DataType::Bool()), n.name()),
                          n.Scalar(extrapolation, dtype), sum});
}

struct Sizes {
  std::vector<int64_t> axes, out;
  std::vector<double> scales;
};

// The extents of the result, from the inputs `scales` or `sizes`.
Sizes SizesOf(NodeContext& n, const std::vector<int64_t>& shape, size_t scales_input,
              size_t sizes_input) {
  Sizes sizes;
  const auto rank = static_cast<int64_t>(shape.size());
  sizes.axes = n.Axes(n.Ints("axes"), rank);
  if (sizes.axes.empty()) {
    for (int64_t d = 0; d < rank; ++d) sizes.axes.push_back(d);
  }
  const std::string policy = n.String("keep_aspect_ratio_policy", "stretch");
  if (n.Has(sizes_input) && NodeContext::ShapeOf(n.In(sizes_input)).size() == 1 &&
      !ir::IsZero(NodeContext::ShapeOf(n.In(sizes_input))[0])) {
    sizes.out = n.Ints(sizes_input, "sizes");
    if (sizes.out.size() != sizes.axes.size()) n.Fail("has sizes for another number of axes");
    for (size_t k = 0; k < sizes.out.size(); ++k) {
      sizes.scales.push_back(static_cast<double>(sizes.out[k]) /
                             static_cast<double>(shape[static_cast<size_t>(sizes.axes[k])]));
    }
    if (policy != "stretch") {
      const double scale =
          policy == "not_larger" ? std::ranges::min(sizes.scales) : std::ranges::max(sizes.scales);
      for (size_t k = 0; k < sizes.out.size(); ++k) {
        sizes.scales[k] = scale;
        sizes.out[k] = static_cast<int64_t>(std::floor(
            scale * static_cast<double>(shape[static_cast<size_t>(sizes.axes[k])]) + 0.5));
      }
    }
    return sizes;
  }
  sizes.scales = n.Floats(scales_input, "scales");
  if (sizes.scales.size() != sizes.axes.size()) n.Fail("has scales for another number of axes");
  for (size_t k = 0; k < sizes.scales.size(); ++k) {
    const auto extent = static_cast<double>(shape[static_cast<size_t>(sizes.axes[k])]);
    if (!(sizes.scales[k] > 0) || sizes.scales[k] * extent > 1e9) n.Fail("has an impossible scale");
    sizes.out.push_back(static_cast<int64_t>(std::floor(sizes.scales[k] * extent)));
  }
  return sizes;
}

// An image [n, c, h, w], made larger by whole factors: what our own operator has kernels for.
std::optional<GraphVar> SimpleResize(NodeContext& n, const ResizeRule& rule,
                                     const std::vector<int64_t>& shape, const Sizes& sizes) {
  const GraphVar x = n.In(0);
  if (shape.size() != 4 || !NodeContext::DTypeOf(x).is_float() || rule.antialias ||
      rule.exclude_outside || rule.mode == "cubic" || rule.transformation == "tf_crop_and_resize" ||
      rule.transformation == "half_pixel_symmetric") {
    return std::nullopt;
  }
  std::vector<int64_t> out = shape;
  for (size_t k = 0; k < sizes.axes.size(); ++k) {
    const auto d = static_cast<size_t>(sizes.axes[k]);
    const double exact = sizes.scales[k] * static_cast<double>(shape[d]);
    if (exact != static_cast<double>(sizes.out[k]) || (d < 2 && sizes.out[k] != shape[d])) {
      return std::nullopt;
    }
    out[d] = sizes.out[k];
  }
  if (rule.mode == "nearest" && rule.rounding != "floor" && rule.rounding != "ceil" &&
      rule.rounding != "round_prefer_floor" && rule.rounding != "round_prefer_ceil") {
    return std::nullopt;
  }
  return n.Call("image.resize2d", {x},
                {{"size", IntsAttr({out[2], out[3]})},
                 {"method", StringAttr(rule.mode == "nearest" ? "nearest_neighbor" : "linear")},
                 {"coordinate_transformation_mode", StringAttr(rule.transformation)},
                 {"rounding_method", StringAttr(rule.mode == "nearest" ? rule.rounding : "")}});
}

GraphVar ResizeTo(NodeContext& n, const ResizeRule& rule, const std::vector<int64_t>& shape,
                  const Sizes& sizes, const std::vector<double>& roi, double extrapolation) {
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic") {
    n.FailAttribute("mode", "is out of range", "nearest, linear or cubic", rule.mode);
  }
  if (const auto simple = SimpleResize(n, rule, shape, sizes)) return *simple;
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const bool converts = !dtype.is_float() && rule.mode != "nearest";
  GraphVar x = converts ? n.Cast(n.In(0), DataType::Float(32)) : n.In(0);
  const size_t count = sizes.axes.size();
  for (size_t k = 0; k < count; ++k) {
    const int64_t axis = sizes.axes[k], in = shape[static_cast<size_t>(axis)];
    const bool crops = rule.transformation == "tf_crop_and_resize";
    if (sizes.out[k] == in && sizes.scales[k] == 1 && !crops) continue;
    const double begin = crops ? roi.at(k) : 0, end = crops ? roi.at(k + count) : 1;
    x = ResizeAxis(n, x, axis, TapsOf(rule, in, sizes.out[k], sizes.scales[k], begin, end),
                   extrapolation);
  }
  if (x.same_as(n.In(0))) return n.Call("identity", {x});
  return converts ? Rounded(n, x, dtype) : x;
}

// Are the shape, the scales or sizes, and the region that is used known?
bool IsKnownResize(NodeContext& n, const ResizeRule& rule, size_t scales, size_t sizes) {
  for (const Expr& extent : NodeContext::ShapeOf(n.In(0))) {
    if (ir::AsConstInt(extent) == nullptr) return false;
  }
  const bool crops = rule.transformation == "tf_crop_and_resize";
  return (!n.Has(scales) || n.Known(scales)) && (!n.Has(sizes) || n.Known(sizes)) &&
         (!crops || n.Known(1));
}

Results Resize(NodeContext& n) {
  ResizeRule rule;
  rule.mode = n.String("mode", "nearest");
  std::vector<double> roi;
  if (n.opset < 11) {
    rule.transformation = "asymmetric";
    rule.rounding = "floor";
    if (!IsKnownResize(n, rule, 1, 9)) return ResizeAtRun(n, rule, 1, 9, 0);
    const std::vector<int64_t> shape = n.FixedShape(n.In(0), "an input");
    const Sizes sizes = SizesOf(n, shape, 1, 9);
    return {ResizeTo(n, rule, shape, sizes, roi, 0)};
  }
  rule.transformation = n.String("coordinate_transformation_mode", "half_pixel");
  rule.rounding = n.String("nearest_mode", "round_prefer_floor");
  rule.cubic = n.Float("cubic_coeff_a", -0.75);
  rule.exclude_outside = n.Int("exclude_outside", 0) != 0;
  rule.antialias = n.Int("antialias", 0) != 0;
  const double extrapolation = n.Float("extrapolation_value", 0);
  if (!IsKnownResize(n, rule, 2, 3)) {
    return ResizeAtRun(n, rule, 2, 3, extrapolation);
  }
  const std::vector<int64_t> shape = n.FixedShape(n.In(0), "an input");
  const Sizes sizes = SizesOf(n, shape, 2, 3);
  if (rule.transformation == "tf_crop_and_resize") {
    roi = n.Floats(1, "roi");
    if (roi.size() != 2 * sizes.axes.size()) n.Fail("has a wrong roi");
  }
  return {ResizeTo(n, rule, shape, sizes, roi, extrapolation)};
}

Results Upsample(NodeContext& n) {
  ResizeRule rule;
  rule.mode = n.String("mode", "nearest");
  if (rule.mode == "bilinear") rule.mode = "linear";
  rule.transformation = "asymmetric";
  rule.rounding = "floor";
  if (n.opset >= 9 && !IsKnownResize(n, rule, 1, 9)) return ResizeAtRun(n, rule, 1, 9, 0);
  const std::vector<int64_t> shape = n.FixedShape(n.In(0), "an input");
  if (n.opset >= 9) return {ResizeTo(n, rule, shape, SizesOf(n, shape, 1, 9), {}, 0)};
  Sizes sizes;
  sizes.scales = n.Floats("scales");
  if (sizes.scales.size() != shape.size()) n.Fail("has scales for another rank");
  for (size_t d = 0; d < shape.size(); ++d) {
    sizes.axes.push_back(static_cast<int64_t>(d));
    sizes.out.push_back(
        static_cast<int64_t>(std::floor(sizes.scales[d] * static_cast<double>(shape[d]))));
  }
  return {ResizeTo(n, rule, shape, sizes, {}, 0)};
}

Results GridSample(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  if (rank != 4 && rank != 5) n.Fail("has a wrong input 0", "rank 4 or 5", std::to_string(rank));
  std::string mode = n.String("mode", n.opset < 20 ? "bilinear" : "linear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "cubic") mode = "bicubic";
  std::vector<int64_t> order{0, rank - 1};
  for (int64_t d = 1; d + 1 < rank; ++d) order.push_back(d);
  return {n.Call("image.grid_sample", {x, n.Transpose(n.In(1), order)},
                 {{"method", StringAttr(mode)},
                  {"layout", StringAttr(rank == 4 ? "NCHW" : "NCDHW")},
                  {"padding_mode", StringAttr(n.String("padding_mode", "zeros"))},
                  {"align_corners", BoolAttr(n.Int("align_corners", 0) != 0)}})};
}

// theta [n, d, d + 1] times the places (x, y, 1) of an image.
Results AffineGrid(NodeContext& n) {
  const bool corners = n.Int("align_corners", 0) != 0;
  if (!n.Known(1)) return AffineGridAtRun(n, corners);
  const std::vector<int64_t> size = n.Ints(1, "size");
  if (size.size() != 4 && size.size() != 5) n.Fail("has a wrong size", "4 or 5 numbers", "others");
  const std::vector<int64_t> extents(size.begin() + 2, size.end());
  int64_t count = 1;
  for (const int64_t extent : extents) {
    if (extent < 1 || __builtin_mul_overflow(count, extent, &count) ||
        count > Importer::kMostElements) {
      n.Fail("has an impossible size");
    }
  }
  std::vector<double> places;
  const auto dims = static_cast<int64_t>(extents.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = extents.size(); d-- > 0;) {
      const int64_t at = rest % extents[d];
      rest /= extents[d];
      const auto length = static_cast<double>(extents[d]), x = static_cast<double>(at);
      places.push_back(corners ? (extents[d] == 1 ? -1 : 2 * x / (length - 1) - 1)
                               : (2 * x + 1) / length - 1);
    }
    places.push_back(1);
  }
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const GraphVar base =
      n.importer.Constant(MakeFloats(places, {1, count, dims + 1}, dtype), n.name());
  const GraphVar grid = n.Call("matmul", {base, n.In(0)}, {{"transpose_b", BoolAttr(true)}});
  std::vector<int64_t> shape{size[0]};
  shape.insert(shape.end(), extents.begin(), extents.end());
  shape.push_back(dims);
  return {n.Reshape(grid, AsExtents(shape))};
}

Results RoiAlign(NodeContext& n) {
  const GraphVar rois = n.In(1);
  const GraphVar batch = n.ExpandDims(n.Cast(n.In(2), NodeContext::DTypeOf(rois)), 1);
  std::string mode = n.String("mode", "avg");
  if (mode == "max") mode = "max_corner";
  const std::string how =
      n.String("coordinate_transformation_mode", n.opset < 16 ? "output_half_pixel" : "half_pixel");
  const int64_t ratio = n.Int("sampling_ratio", 0);
  return {n.Call("vision.roi_align",
                 {n.In(0), n.Call("concatenate", {batch, rois}, {{"axis", IntAttr(1)}})},
                 {{"pooled_size", IntsAttr({n.Int("output_height", 1), n.Int("output_width", 1)})},
                  {"spatial_scale", FloatAttr(n.Float("spatial_scale", 1))},
                  {"sample_ratio", IntAttr(ratio == 0 ? -1 : ratio)},
                  {"mode", StringAttr(mode)},
                  {"aligned", BoolAttr(how == "half_pixel")}})};
}

}  // namespace

std::vector<Operator> Images() {
  return {
      {"AffineGrid", AffineGrid}, {"GridSample", GridSample}, {"Resize", Resize},
      {"RoiAlign", RoiAlign},     {"Upsample", Upsample},
  };
}

}  // namespace lathe::graph::onnx
