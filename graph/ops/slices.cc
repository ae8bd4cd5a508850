// Parts of tensors, and frames around them.
#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

// Where a slice begins, and how many elements it has, per dimension.
struct Slice {
  Expr begin, extent;
  int64_t stride = 1;
};

// A bound of a slice, counted from the end if it is negative, within [low, high].
Expr Bound(const Expr& value, const Expr& extent, int64_t low, const Expr& high) {
  const Expr low_bound = ir::Int(low, DataType::Int(64));
  arith::Analyzer analyzer;
  const auto from_front = [&] {
    if (analyzer.CanProveGE(value, 0)) return value;
    if (analyzer.CanProveLT(value, 0)) return extent + value;
    {
      // n - 1 of n elements is negative only where there are none: the least bound either way.
      const arith::Analyzer::Scope scope = analyzer.With(value < int64_t{0});
      if (analyzer.CanProve(extent + value <= low_bound)) return value;
    }
    // Sizes have no conditions: this is 1 for what is negative, and else 0.
    const Expr zero = ir::Const(0, value->dtype), one = ir::Const(1, value->dtype);
    return value + extent * ir::MakeMin(ir::MakeMax(zero - value, zero), one);
  };
  Expr bound = analyzer.Simplify(from_front());
  if (!analyzer.CanProve(bound >= low_bound)) bound = ir::MakeMax(bound, low_bound);
  if (!analyzer.CanProve(bound <= high)) bound = ir::MakeMin(bound, high);
  return analyzer.Simplify(bound);
}

// The extent `size` of a slice, or all that is left if it is certainly negative. A symbolic size is
// taken as an extent: a choice between both would be no term that other shapes could equal.
Expr SizeOrRest(const Expr& size, const Expr& rest) {
  arith::Analyzer analyzer;
  return analyzer.CanProveLT(size, 0) ? rest : size;
}

template <class Context>
std::vector<Slice> SlicesOf(const Context& c, const Shape& shape) {
  const std::vector<Expr> begin = c.attrs.Shape("begin"), end = c.attrs.Shape("end");
  const std::vector<int64_t> strides = c.attrs.Ints("strides"), axes = c.attrs.Ints("axes");
  const bool by_size = c.attrs.String("slice_mode") == "size";
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<Slice> slices;
  for (const Expr& extent : shape) slices.push_back({ir::Int(0, DataType::Int(64)), extent, 1});
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t axis =
        axes.empty() ? static_cast<int64_t>(i) : axes[i] + (axes[i] < 0 ? rank : 0);
    Slice& slice = slices[static_cast<size_t>(axis)];
    const Expr extent = slice.extent;
    slice.stride = strides.empty() ? 1 : strides[strides.size() == 1 ? 0 : i];
    const Expr last = extent - 1;
    // By extents, a slice has all elements from its first one on.
    if (by_size) slice.stride = 1;
    const bool forward = slice.stride > 0;
    slice.begin = Bound(begin[i], extent, forward ? 0 : -1, forward ? extent : last);
    if (by_size) {
      slice.extent = SizeOrRest(end[i], extent - slice.begin);
      continue;
    }
    const Expr stop = Bound(end[i], extent, forward ? 0 : -1, forward ? extent : last);
    const int64_t step = forward ? slice.stride : -slice.stride;
    const Expr length = forward ? stop - slice.begin : slice.begin - stop;
    arith::Analyzer analyzer;
    Expr count = analyzer.Simplify(ir::FloorDivide(length + (step - 1), step));
    const Expr zero = ir::Int(0, DataType::Int(64));
    if (!analyzer.CanProve(count >= zero)) count = ir::MakeMax(count, zero);
    slice.extent = analyzer.Simplify(count);
  }
  return slices;
}

Shape Widened(const te::Shape& shape) {
  Shape out;
  for (const Expr& extent : shape) out.push_back(ir::MakeCast(DataType::Int(64), extent));
  return out;
}

void CheckSlice(const TypeContext& c) {
  const size_t count = c.attrs.Shape("begin").size();
  const std::vector<int64_t> axes = AxesOf(c, "axes", c.rank(0));
  const auto need = [&](const char* attr, size_t found, bool one_is_enough) {
    if (found == count || (one_is_enough && found <= 1)) return;
    c.FailAttr(attr, "has another number of entries than `begin`", std::to_string(count),
               std::to_string(found));
  };
  need("end", c.attrs.Shape("end").size(), false);
  need("strides", c.attrs.Ints("strides").size(), true);
  if (!axes.empty()) need("axes", axes.size(), false);
  if (count > static_cast<size_t>(c.rank(0))) {
    c.FailAttr("begin", "has more entries than `data` has dimensions", std::to_string(c.rank(0)),
               std::to_string(count));
  }
  for (const int64_t stride : c.attrs.Ints("strides")) {
    if (stride == 0) c.FailAttr("strides", "has an entry of 0", "another number", "0");
  }
}

OpDef StridedSlice() {
  return {.name = "strided_slice",
          .doc =
              "Elements begin, begin + stride, ... before end, along some dimensions, as Python "
              "slices. "
              "Negative numbers count from the end; what is beyond the ends is cut off.",
          .inputs = {{"data", "the input"}},
          .attrs = {Extents("begin", "the first places"),
                    Extents("end", "the places before which it ends"),
                    Ints("strides", "the steps; negative ones go backwards", {1}),
                    Choice("slice_mode", "\"size\": `end` has extents, and -1 for all that is left",
                           {"end", "size"}),
                    Ints("axes", "the dimensions; empty: the first ones", {})},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            CheckSlice(c);
            Shape out;
            const std::vector<Slice> slices = SlicesOf(c, c.shape(0));
            for (size_t d = 0; d < slices.size(); ++d) {
              // By extents, a slice may be said to leave the input.
              if (c.attrs.String("slice_mode") != "size") break;
              if (c.Assume(SizeAssumption::Kind::kAtMost, slices[d].begin + slices[d].extent,
                           c.shape(0)[d],
                           "the end of a strided_slice in dimension " + std::to_string(d))) {
                continue;
              }
              c.FailAttr("end", "leaves the input in dimension " + std::to_string(d),
                         "at most " + ExtentText(c.shape(0)[d]),
                         ExtentText(slices[d].begin + slices[d].extent));
            }
            for (const Slice& slice : slices) out.push_back(slice.extent);
            TypeResult result(TensorOf(c.dtype(0), std::move(out)));
            const int64_t *begin = nullptr, *extent = nullptr;
            if (slices.size() == 1 && c.values[0] &&
                (begin = ir::AsConstInt(slices[0].begin)) != nullptr &&
                (extent = ir::AsConstInt(slices[0].extent)) != nullptr) {
              std::vector<Expr> value;
              for (int64_t i = 0; i < *extent; ++i) {
                value.push_back((*c.values[0])[static_cast<size_t>(*begin + i * slices[0].stride)]);
              }
              result.value = std::move(value);
            }
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const std::vector<Slice> slices = SlicesOf(c, Widened(x->shape()));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at;
                      for (size_t d = 0; d < slices.size(); ++d) {
                        at.push_back(Narrow(slices[d].begin) + i[d] * slices[d].stride);
                      }
                      return At(x, at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 9]"}, {{"begin", IntsAttr({0, 2})}, {"end", IntsAttr({4, -1})}}},
                       {{"T[4, 9]"},
                        {{"begin", IntsAttr({-1})},
                         {"end", IntsAttr({-100})},
                         {"strides", IntsAttr({-2})},
                         {"axes", IntsAttr({1})}}},
                       {{"T[4, 9]"},
                        {{"begin", IntsAttr({1, 2})},
                         {"end", IntsAttr({2, -1})},
                         {"slice_mode", StringAttr("size")}}}}};
}

OpDef SliceLike() {
  return {.name = "slice_like",
          .doc =
              "The first elements of `data` along some dimensions: as many as the other input has "
              "there, which is not read.",
          .inputs = {{"data", "the input"}, {"shape_like", "has the extents"}},
          .attrs = {Ints("axes", "the dimensions; empty: all", {})},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            std::vector<int64_t> axes = AxesOf(c, "axes", c.rank(0));
            if (axes.empty()) {
              c.NeedRank(1, c.rank(0), c.rank(0));
              for (int64_t d = 0; d < c.rank(0); ++d) axes.push_back(d);
            }
            Shape out = c.shape(0);
            for (const int64_t axis : axes) {
              if (axis >= c.rank(1)) c.NeedRank(1, static_cast<int>(axis) + 1, INT32_MAX);
              const auto d = static_cast<size_t>(axis);
              const std::string dimension = "dimension " + std::to_string(axis);
              if (!c.Assume(SizeAssumption::Kind::kAtMost, c.shape(1)[d], out[d],
                            dimension + " of slice_like")) {
                c.FailArgument(1, "is longer than `data` in " + dimension,
                               "at most " + ExtentText(out[d]), ExtentText(c.shape(1)[d]));
              }
              out[d] = c.shape(1)[d];
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices& i) { return At(c.in(0), AsExprs(i)); }, "y",
                    te::kInjective);
              },
          .examples = {{{"T[6, 9]", "float32[n, 4]"}},
                       {{"T[n, 9]", "float32[2, 4]"}, {{"axes", IntsAttr({-1})}}}}};
}

OpDef StridedSet() {
  return {
      .name = "strided_set",
      .doc =
          "`data` with the elements of `v` at the places of a slice, which is what "
          "strided_slice takes with the same attributes.",
      .inputs = {{"data", "the input"}, {"v", "the new elements: the slice's shape", kAnyType, 0}},
      .attrs = {Extents("begin", "the first places"),
                Extents("end", "the places before which it ends"),
                Ints("strides", "the steps; negative ones go backwards", {1}),
                Choice("slice_mode", "\"size\": `end` has extents, and -1 for all that is left",
                       {"end", "size"}),
                Ints("axes", "the dimensions; empty: the first ones", {})},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckSlice(c);
        c.NeedRank(1, c.rank(0), c.rank(0));
        const std::vector<Slice> slices = SlicesOf(c, c.shape(0));
        for (size_t d = 0; d < slices.size(); ++d) {
          c.NeedExtent(1, d, slices[d].extent, "of the slice");
        }
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor &x = c.in(0), &v = c.in(1);
            const std::vector<Slice> slices = SlicesOf(c, Widened(x->shape()));
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at, conditions;
                  for (size_t d = 0; d < slices.size(); ++d) {
                    const int64_t stride = slices[d].stride;
                    const Expr begin = Narrow(slices[d].begin);
                    const Expr steps = stride > 0 ? Expr(i[d]) - begin : begin - i[d];
                    const int64_t step = stride > 0 ? stride : -stride;
                    const Expr place = ir::FloorDivide(steps, step);
                    if (step > 1) {
                      conditions.push_back(
                          ir::Equal(ir::FloorModulo(steps, step), Num(0, steps->dtype)));
                    }
                    if (!SameExtent(slices[d].extent, Widened(x->shape())[d])) {
                      conditions.push_back(place >= 0);
                      conditions.push_back(place < v->shape()[d]);
                    }
                    at.push_back(place);
                  }
                  const Expr inside = ir::Conjunction(conditions);
                  const Expr element = At(v, at);
                  return inside ? ir::IfThenElse(inside, element, At(x, AsExprs(i))) : element;
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[n, 9]", "T[n, 4]"},
                    {{"begin", IntsAttr({2})}, {"end", IntsAttr({-3})}, {"axes", IntsAttr({1})}}},
                   {{"T[4, 9]", "T[4, 5]"},
                    {{"begin", IntsAttr({-1})},
                     {"end", IntsAttr({-100})},
                     {"strides", IntsAttr({-2})},
                     {"axes", IntsAttr({1})}}},
                   {{"T[4, 9]", "T[2, 7]"},
                    {{"begin", IntsAttr({1, 2})},
                     {"end", IntsAttr({2, -1})},
                     {"slice_mode", StringAttr("size")}}}}};
}

OpDef DynamicSlice() {
  return {
      .name = "dynamic_slice",
      .doc =
          "The part of `data` of extents `sizes` that begins at a place that another tensor says. "
          "A part that would go beyond the ends is moved inwards (XLA's rule).",
      .inputs = {{"data", "the input"}, {"begin", "the first place, [rank of `data`]", kIndices}},
      .attrs = {Extents("sizes", "the extents of the part; -1: all of the dimension")},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(1, 1, 1);
        c.NeedExtent(1, 0, ir::Int(c.rank(0), DataType::Int(64)), "the dimensions of `data`");
        Shape out = c.attrs.Shape("sizes");
        if (static_cast<int>(out.size()) != c.rank(0)) {
          c.FailAttr("sizes", "has the wrong number of entries", std::to_string(c.rank(0)),
                     std::to_string(out.size()));
        }
        for (size_t d = 0; d < out.size(); ++d) {
          const Expr& whole = c.shape(0)[d];
          if (ir::IsConstInt(out[d], -1)) out[d] = whole;
          const int64_t *most = ir::AsConstInt(whole), *size = ir::AsConstInt(out[d]);
          if (size != nullptr && (*size < 0 || (most != nullptr && *size > *most))) {
            c.FailAttr("sizes", "does not fit in dimension " + std::to_string(d),
                       "-1 to " + ExtentText(whole), std::to_string(*size));
          }
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor &x = c.in(0), &begin = c.in(1);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at;
                  for (size_t d = 0; d < i.size(); ++d) {
                    const Expr last = x->shape()[d] - c.shape()[d];
                    if (ir::IsZero(last) || SameExtent(x->shape()[d], c.shape()[d])) {
                      at.push_back(i[d]);
                      continue;
                    }
                    const Expr first = At(begin, {ir::Int(static_cast<int64_t>(d))});
                    at.push_back(ir::MakeMax(ir::MakeMin(first, ir::MakeCast(first->dtype, last)),
                                             Num(0, first->dtype)) +
                                 ir::MakeCast(first->dtype, i[d]));
                  }
                  return At(x, at);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[6, 9]", "int64[2] in 0:5"}, {{"sizes", IntsAttr({2, 4})}}},
                   {{"T[n, 9]", "int32[2] in -3:9"}, {{"sizes", IntsAttr({-1, 4})}}}}};
}

}  // namespace

std::vector<OpDef> Slices() { return {StridedSlice(), SliceLike(), StridedSet(), DynamicSlice()}; }

}  // namespace lathe::graph::ops
