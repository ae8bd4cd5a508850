#include "graph/import/tensorflow_rules.h"

#include <algorithm>

namespace lathe::graph {

using ir::Expr;
using ir::GraphVar;

std::pair<int64_t, int64_t> SamePadding(int64_t in, int64_t window, int64_t stride,
                                        int64_t dilation) {
  const int64_t out = (in + stride - 1) / stride;
  const int64_t reach = (window - 1) * dilation + 1;
  const int64_t total = std::max<int64_t>((out - 1) * stride + reach - in, 0);
  return {total / 2, total - total / 2};
}

GraphVar StridedSlice(const Maker& maker, const GraphVar& x, const SliceRule& rule) {
  // Beyond any end: a number that slices cut off.
  constexpr int64_t kFar = int64_t{1} << 40;
  const auto has = [](int64_t mask, size_t i) { return (mask >> i & 1) != 0; };
  const auto rank = Maker::ShapeOf(x).size();
  const size_t count = rule.begin.size();
  if (rule.end.size() != count || rule.strides.size() != count || count > 32) return nullptr;
  size_t used = 0, ellipses = 0;
  for (size_t i = 0; i < count; ++i) {
    if (has(rule.ellipsis_mask, i)) {
      ++ellipses;
    } else if (!has(rule.new_axis_mask, i)) {
      ++used;
    }
  }
  if (used > rank || ellipses > 1) return nullptr;
  std::vector<Expr> begin, end;
  std::vector<int64_t> strides, axes, dropped, added;
  size_t axis = 0;  // of x
  int64_t out = 0;  // of the result, dropped axes included
  for (size_t i = 0; i < count; ++i) {
    if (has(rule.ellipsis_mask, i)) {
      out += static_cast<int64_t>(rank - used);
      axis += rank - used;
      continue;
    }
    if (has(rule.new_axis_mask, i)) {
      added.push_back(out++);
      continue;
    }
    const int64_t* first = ir::AsConstInt(rule.begin[i]);
    const bool drops = has(rule.shrink_axis_mask, i);
    const int64_t stride = drops ? 1 : rule.strides[i];
    if (stride == 0) return nullptr;
    const bool forward = stride > 0;
    Expr from = rule.begin[i], to = rule.end[i];
    if (drops) {
      to = first != nullptr && *first == -1 ? Int64(kFar) : rule.begin[i] + 1;
      dropped.push_back(out);
    } else {
      if (has(rule.begin_mask, i)) from = Int64(forward ? 0 : kFar);
      if (has(rule.end_mask, i)) to = Int64(forward ? kFar : -kFar);
    }
    begin.push_back(from);
    end.push_back(to);
    strides.push_back(stride);
    axes.push_back(static_cast<int64_t>(axis++));
    ++out;
  }
  GraphVar y = x;
  if (!axes.empty()) {
    y = maker.Call("strided_slice", {x},
                   {{"begin", ShapeAttr(begin)},
                    {"end", ShapeAttr(end)},
                    {"strides", IntsAttr(strides)},
                    {"axes", IntsAttr(axes)}});
  }
  for (const int64_t at : added) y = maker.ExpandDims(y, at);
  return maker.Squeeze(y, dropped);
}

GraphVar SliceBySizes(const OperatorContext& n) {
  const GraphVar x = n.In(0);
  const auto sizes = n.Known(2);
  if (!n.AreKnown(1) && sizes) {
    return n.Call("dynamic_slice", {x, n.Cast(n.In(1), DataType::Int(64))},
                  {{"sizes", IntsAttr(IntsOf(*sizes))}});
  }
  const std::vector<Expr> begin = n.Extents(1, "begin"), size = n.Extents(2, "size");
  if (static_cast<int64_t>(begin.size()) != Maker::RankOf(x) || size.size() != begin.size()) {
    n.Fail("has begin or size for another number of dimensions", std::to_string(Maker::RankOf(x)),
           std::to_string(begin.size()));
  }
  return n.Call(
      "strided_slice", {x},
      {{"begin", ShapeAttr(begin)}, {"end", ShapeAttr(size)}, {"slice_mode", StringAttr("size")}});
}

GraphVar SplitBySizes(const OperatorContext& n, const GraphVar& x, int64_t axis,
                      std::vector<int64_t> sizes) {
  axis = n.Axis(axis, Maker::RankOf(x));
  const int64_t* whole = ir::AsConstInt(Maker::ShapeOf(x)[static_cast<size_t>(axis)]);
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && rest == nullptr) {
      rest = &size;
    } else if (size < 0 || __builtin_add_overflow(sum, size, &sum)) {
      n.Fail("has an impossible size of a part", "0 and more", std::to_string(size));
    }
  }
  if (rest != nullptr) {
    if (whole == nullptr || *whole < sum) n.Fail("has parts that do not fit", TypeText(x->type));
    *rest = *whole - sum;
    sum = *whole;
  }
  if (whole != nullptr && *whole != sum) {
    n.Fail("has parts that do not fit", std::to_string(*whole), std::to_string(sum));
  }
  if (sizes.size() < 2) return n.Call("identity", {x});
  std::vector<int64_t> places;
  int64_t at = 0;
  for (size_t i = 0; i + 1 < sizes.size(); ++i) places.push_back(at += sizes[i]);
  return n.Call("split", {x}, {{"indices_or_sections", IntsAttr(places)}, {"axis", IntAttr(axis)}});
}

GraphVar ResizeImage(const Maker& maker, const GraphVar& x, const std::vector<Expr>& size,
                     bool nearest, bool align_corners, bool half_pixel_centers) {
  if (align_corners && half_pixel_centers) return nullptr;
  const char* places = align_corners         ? "align_corners"
                       : !half_pixel_centers ? "asymmetric"
                       : nearest             ? "tf_half_pixel_for_nn"
                                             : "half_pixel";
  return maker.Call("image.resize2d", {x},
                    {{"size", ShapeAttr(size)},
                     {"layout", StringAttr("NHWC")},
                     {"method", StringAttr(nearest ? "nearest_neighbor" : "linear")},
                     {"coordinate_transformation_mode", StringAttr(places)}});
}

}  // namespace lathe::graph
