// Operators of `dyn` that cut and frame: strided_slice and pad.
#include "graph/ops/dynamic.h"

namespace lathe::graph::ops {
namespace {

// -- strided_slice.

// A bound of a slice as ONNX and Python count: negative ones from the end, within what there is.
// `low` is -1 for slices that go backwards.
GraphVar BoundOf(const Maker& m, const GraphVar& bound, const GraphVar& extent, const GraphVar& low,
                 const GraphVar& high) {
  const GraphVar from_front = m.Call(
      "where", {m.Call("less", {bound, m.Number(0)}), m.Call("add", {bound, extent}), bound});
  return m.Call("minimum", {m.Call("maximum", {from_front, low}), high});
}

// Slices of unknown steps: the places along each dimension are a tensor.
GraphVar SliceByPlaces(Builder& b, const std::vector<GraphVar>& x,
                       const std::vector<int64_t>& axes) {
  const Maker m(b);
  GraphVar data = x[0];
  const GraphVar extents = m.Pick(m.ExtentsOf(x[0]), axes);
  const GraphVar steps = m.Wide(x[3]), zero = m.Number(0), one = m.Number(1);
  const GraphVar backwards = m.Call("less", {steps, zero});
  const GraphVar low = m.Call("where", {backwards, m.Number(-1), zero});
  const GraphVar high = m.Call("where", {backwards, m.Call("subtract", {extents, one}), extents});
  const GraphVar begin = BoundOf(m, m.Wide(x[1]), extents, low, high);
  const GraphVar end = BoundOf(m, m.Wide(x[2]), extents, low, high);
  const GraphVar counts = m.Call(
      "maximum",
      {m.Call("negative", {m.Call("floor_divide", {m.Call("subtract", {begin, end}), steps})}),
       zero});
  const Shape sizes = m.Sizes(counts);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const GraphVar order =
        m.Call("arange", {}, {{"stop", ShapeAttr({sizes[i]})}, {"dtype", StringAttr("int64")}});
    const GraphVar places =
        m.Call("add", {m.Element(begin, at), m.Call("multiply", {order, m.Element(steps, at)})});
    data = m.Call("take", {data, places}, {{"axis", IntAttr(axes[i])}});
  }
  return data;
}

GraphVar ExpandSlice(Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
  const Maker m(b);
  const auto rank = static_cast<int64_t>(ShapeIn(x[0]).size());
  const int64_t count = *ir::AsConstInt(ShapeIn(x[1])[0]);
  std::vector<int64_t> axes = attrs.Ints("axes");
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  if (axes.empty()) {
    for (int64_t d = 0; d < count; ++d) axes.push_back(d);
  }
  if (axes.empty()) return m.Call("copy", {x[0]});
  std::vector<int64_t> strides(axes.size(), 1);
  if (x.size() > 3) {
    const Shape* known = m.Known(x[3]);
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t* stride = known == nullptr ? nullptr : ir::AsConstInt((*known)[i]);
      if (stride == nullptr || *stride <= 0) return SliceByPlaces(b, x, axes);
      strides[i] = *stride;
    }
  }
  const auto attrs_of = [&](Shape begin, Shape end) {
    return ir::Dict{{"begin", ShapeAttr(std::move(begin))},
                    {"end", ShapeAttr(std::move(end))},
                    {"strides", IntsAttr(strides)},
                    {"axes", IntsAttr(axes)}};
  };
  const Shape *begin = m.Known(x[1]), *end = m.Known(x[2]);
  if (begin != nullptr && end != nullptr) {
    return m.Call("strided_slice", {x[0]}, attrs_of(*begin, *end));
  }
  const GraphVar extents = m.Pick(m.ExtentsOf(x[0]), axes), zero = m.Number(0);
  const auto sizes = [&](const GraphVar& bounds) {
    return m.Sizes(BoundOf(m, m.Wide(bounds), extents, zero, extents));
  };
  // Sizes in a statement of their own, so that their order does not depend on the C++ compiler.
  const Shape first = begin != nullptr ? *begin : sizes(x[1]);
  return m.Call("strided_slice", {x[0]}, attrs_of(first, end != nullptr ? *end : sizes(x[2])));
}

OpDef DynStridedSlice() {
  return {
      .name = "dyn.strided_slice",
      .doc =
          "strided_slice with bounds that a run knows: elements begin, begin + stride, ... before "
          "end along some dimensions, as Python slices. A composition.",
      .inputs = {{"data", "the input"},
                 NumbersInput("begin", "the first places: [number of slices]"),
                 NumbersInput("end", "the places before which it ends: [number of slices]"),
                 NumbersInput("strides", "the steps: [number of slices]; left out: 1")},
      .attrs = {Ints("axes", "the dimensions; empty: the first ones", {})},
      .optional_inputs = 1,
      .type = [](const TypeContext& c) -> TypeResult {
        const int64_t count = CountOf(c, 1);
        for (size_t i = 2; i < c.size(); ++i) {
          c.NeedRank(i, 1, 1);
          c.NeedExtent(i, 0, Int64(count), "`begin`");
        }
        std::vector<int64_t> axes = AxesOf(c, "axes", c.rank(0));
        if (!axes.empty() && static_cast<int64_t>(axes.size()) != count) {
          c.FailAttr("axes", "has another number of entries than `begin`", std::to_string(count),
                     std::to_string(axes.size()));
        }
        if (count > c.rank(0)) {
          c.FailArgument(1, "has more numbers than `data` has dimensions",
                         std::to_string(c.rank(0)), std::to_string(count));
        }
        if (axes.empty()) {
          for (int64_t d = 0; d < count; ++d) axes.push_back(d);
        }
        TypeResult result(nullptr);
        Shape shape = c.shape(0);
        for (const int64_t axis : axes) shape[static_cast<size_t>(axis)] = NewSize(result);
        result.type = TensorOf(c.dtype(0), std::move(shape));
        return result;
      },
      .expand = ExpandSlice,
      .examples = {{{"T[7, n]", "int64[1] in -3:2", "int64[1] in 2:9"}},
                   {{"float32[5, 6]", "int32[2] in 0:2", "int32[2] in -2:6", "int32[2] in 1:3"}},
                   {{"float32[5, 6]", "int64[1] in 3:9", "int64[1] in -9:1", "int64[1] in -2:-1"},
                    {{"axes", IntsAttr({-1})}}}}};
}

// -- pad.

GraphVar ExpandPad(Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
  const Maker m(b);
  const ir::Dict mode{{"pad_mode", StringAttr(attrs.String("pad_mode"))}};
  const auto rank = static_cast<int64_t>(ShapeIn(x[0]).size());
  if (rank == 0) return m.Call("copy", {x[0]});
  const GraphVar zero = m.Number(0);
  const GraphVar widths = m.Call("reshape", {m.Wide(x[1])}, {{"newshape", IntsAttr({2 * rank})}});
  const Shape cut = m.Sizes(m.Call("maximum", {m.Call("negative", {widths}), zero}));
  const Shape pads = m.Sizes(m.Call("maximum", {widths, zero}));
  Shape begin, end;
  for (int64_t d = 0; d < rank; ++d) {
    const auto at = static_cast<size_t>(d);
    begin.push_back(cut[2 * at]);
    end.push_back(ShapeIn(x[0])[at] - cut[2 * at + 1]);
  }
  std::vector<GraphVar> args{
      m.Call("strided_slice", {x[0]}, {{"begin", ShapeAttr(begin)}, {"end", ShapeAttr(end)}})};
  if (x.size() > 2) args.push_back(x[2]);
  ir::Dict all = mode;
  all["pad_width"] = ShapeAttr(pads);
  return m.Call("nn.pad", args, all);
}

OpDef DynPad() {
  return {.name = "dyn.nn.pad",
          .doc =
              "nn.pad with widths that a run knows: before and after each dimension. Negative ones "
              "cut off. A composition.",
          .inputs = {{"data", "the input"},
                     NumbersInput("pad_width", "[rank of `data`, 2]"),
                     {"pad_value", "[]; left out: 0", kAnyType, 0}},
          .attrs = {Choice("pad_mode",
                           "what the frame has: `pad_value`, the nearest element, the "
                           "elements mirrored without the last one, or those of the "
                           "other end",
                           {"constant", "edge", "reflect", "wrap"})},
          .optional_inputs = 1,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(1, 2, 2);
            c.NeedExtent(1, 0, Int64(c.rank(0)), "the rank of `data`");
            c.NeedExtent(1, 1, Int64(2), "before and after");
            if (c.size() > 2) c.NeedRank(2, 0, 0);
            TypeResult result(nullptr);
            Shape shape;
            for (int d = 0; d < c.rank(0); ++d) shape.push_back(NewSize(result));
            result.type = TensorOf(c.dtype(0), std::move(shape));
            return result;
          },
          .expand = ExpandPad,
          .examples = {
              {{"T[5, n]", "int64[2, 2] in 0:3"}},
              {{"float32[4, 5]", "int32[2, 2] in -2:2", "float32[]"}},
              {{"float32[4, 5]", "int64[2, 2] in 0:2"}, {{"pad_mode", StringAttr("reflect")}}}}};
}

}  // namespace

std::vector<OpDef> DynamicSlices() { return {DynStridedSlice(), DynPad()}; }

}  // namespace lathe::graph::ops
