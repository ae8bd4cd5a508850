// Operators of `dyn` that take an extent, or a shape, as a tensor.
#include "graph/ops/dynamic.h"

namespace lathe::graph::ops {
namespace {

OpDef DynBroadcastTo() {
  return {.name = "dyn.broadcast_to",
          .doc =
              "broadcast_to with a shape that a run knows: extents of 1 repeat, others must be "
              "those of `shape`. A composition.",
          .inputs = {{"data", "the input"}, NumbersInput("shape", "the shape: [its rank]")},
          .type = [](const TypeContext& c) { return NewShapeType(c, 1, c.dtype(0)); },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) {
                const Maker m(b);
                return m.Call("broadcast_to", {x[0]}, {{"shape", ShapeAttr(m.Sizes(x[1]))}});
              },
          .examples = {{{"T[1, 1]", "int64[3] in 1:4"}}, {{"float32[]", "int32[2] in 0:3"}}}};
}

OpDef DynFull() {
  return {.name = "dyn.full",
          .doc = "full with a shape that a run knows. A composition.",
          .inputs = {{"fill_value", "the value, of rank 0"},
                     NumbersInput("shape", "the shape: [its rank]")},
          .attrs = {ElementType("dtype", "the element type of the result; \"\": the value's")},
          .type =
              [](const TypeContext& c) {
                const std::string dtype = c.attrs.String("dtype");
                return NewShapeType(c, 1, dtype.empty() ? c.dtype(0) : c.attrs.Type("dtype"));
              },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
                const Maker m(b);
                return m.Call("full", {x[0]},
                              {{"shape", ShapeAttr(m.Sizes(x[1]))},
                               {"dtype", StringAttr(attrs.String("dtype"))}});
              },
          .examples = {{{"T[]", "int64[2] in 0:4"}},
                       {{"float32[]", "int32[1] in 0:9"}, {{"dtype", StringAttr("int8")}}}}};
}

OpDef DynTile() {
  return {.name = "dyn.tile",
          .doc = "tile with repetitions that a run knows, one for each dimension. A composition.",
          .inputs = {{"data", "the input"}, NumbersInput("reps", "how often: [rank of `data`]")},
          .type = [](const TypeContext& c) -> TypeResult {
            const auto rank = static_cast<size_t>(c.rank(0));
            c.NeedRank(1, 1, 1);
            c.NeedExtent(1, 0, Int64(c.rank(0)), "the rank of `data`");
            TypeResult result(nullptr);
            Shape shape = SizesOf(c, 1, rank, result);
            if (c.values[1]) {
              for (size_t d = 0; d < rank; ++d) shape[d] = shape[d] * c.shape(0)[d];
            }
            result.type = TensorOf(c.dtype(0), std::move(shape));
            return result;
          },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) {
                const Maker m(b);
                return m.Call("tile", {x[0]}, {{"reps", ShapeAttr(m.Sizes(x[1]))}});
              },
          .examples = {{{"T[2, n]", "int64[2] in 0:3"}}, {{"float32[3]", "int32[1] in 1:2"}}}};
}

OpDef DynTopK() {
  return {.name = "dyn.topk",
          .doc =
              "topk for a k that a run knows, which must be from 0 to the extent of the dimension: "
              "(the "
              "elements, their places). A composition.",
          .inputs = {{"data", "the input"}, NumbersInput("k", "how many: [] or [1]")},
          .attrs = {Int("axis", "the dimension", -1),
                    Flag("is_ascend", "the smallest ones, in ascending order?", false),
                    ElementType("dtype", "the element type of the places, an integer", "int32")},
          .type = [](const TypeContext& c) -> TypeResult {
            NeedOneNumber(c, 1);
            TypeResult result(nullptr);
            Shape shape = c.shape(0);
            shape[static_cast<size_t>(AxisOf(c, "axis", c.rank(0)))] = SizesOf(c, 1, 1, result)[0];
            result.type =
                TupleOf({TensorOf(c.dtype(0), shape), TensorOf(c.attrs.Type("dtype"), shape)});
            return result;
          },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
                const Maker m(b);
                return m.Call("topk", {x[0]},
                              {{"k", ShapeAttr(m.Sizes(x[1]))},
                               {"axis", IntAttr(attrs.Int("axis"))},
                               {"is_ascend", BoolAttr(attrs.Bool("is_ascend"))},
                               {"dtype", StringAttr(attrs.String("dtype"))}});
              },
          .examples = {{{"T[3, 5]", "int64[] in 1:4"}},
                       {{"float32[n, 4]", "int32[1] in 1:4"},
                        {{"is_ascend", BoolAttr(true)}, {"dtype", StringAttr("int64")}}}}};
}

OpDef DynOneHot() {
  return {
      .name = "dyn.one_hot",
      .doc = "one_hot with a depth that a run knows. A composition.",
      .inputs = {{"indices", "the places; any shape", kIntegers},
                 {"on_value", "[]", kAnyType},
                 {"off_value", "[]", kAnyType, 1},
                 NumbersInput("depth", "the extent of the new dimension: [] or [1]")},
      .attrs = {Int("axis", "where the new dimension is", -1),
                ElementType("dtype", "the element type of the result; \"\": that of `on_value`")},
      .type = [](const TypeContext& c) -> TypeResult {
        NeedOneNumber(c, 3);
        TypeResult result(nullptr);
        Shape shape = c.shape(0);
        shape.insert(shape.begin() + AxisOf(c, "axis", c.rank(0) + 1), SizesOf(c, 3, 1, result)[0]);
        const std::string dtype = c.attrs.String("dtype");
        result.type = TensorOf(dtype.empty() ? c.dtype(1) : c.attrs.Type("dtype"), shape);
        return result;
      },
      .expand =
          [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
            const Maker m(b);
            return m.Call("one_hot", {x[0], x[1], x[2]},
                          {{"depth", ShapeAttr(m.Sizes(x[3]))},
                           {"axis", IntAttr(attrs.Int("axis"))},
                           {"dtype", StringAttr(attrs.String("dtype"))}});
          },
      .examples = {{{"T[n] in 0:4", "float32[]", "float32[]", "int64[] in 1:6"}},
                   {{"int32[2, 3] in -2:4", "int8[]", "int8[]", "int32[1] in 3:3"},
                    {{"axis", IntAttr(0)}, {"dtype", StringAttr("float32")}}}}};
}

OpDef DynArange() {
  return {
      .name = "dyn.arange",
      .doc =
          "start, start + step, ... before stop, with numbers that a run knows: "
          "[max(0, ceil((stop - start) / step))]. `step` must not be 0. A composition.",
      .inputs = {{"start", "[]", kNumbers},
                 {"stop", "[]", kNumbers, 0},
                 {"step", "[]", kNumbers, 0}},
      .type = [](const TypeContext& c) -> TypeResult {
        for (size_t i = 0; i < 3; ++i) c.NeedRank(i, 0, 0);
        TypeResult result(nullptr);
        result.type = TensorOf(c.dtype(0), {NewSize(result)});
        return result;
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) -> GraphVar {
        const Maker m(b);
        const DataType dtype = TypeIn(x[0]);
        const auto cast = [&](const GraphVar& of, DataType to) {
          return TypeIn(of) == to ? of
                                  : m.Call("cast", {of}, {{"dtype", StringAttr(to.ToString())}});
        };
        // Integers divide exactly, floats in 64 bits; both round upwards.
        const DataType wide = dtype.is_float() ? DataType::Float(64) : DataType::Int(64);
        const GraphVar start = cast(x[0], wide), stop = cast(x[1], wide), step = cast(x[2], wide);
        GraphVar count;
        if (dtype.is_float()) {
          count = m.Call("divide", {m.Call("subtract", {stop, start}), step});
          count = cast(m.Call("ceil", {count}), DataType::Int(64));
        } else {
          count = m.Call("floor_divide", {m.Call("subtract", {start, stop}), step});
          count = m.Call("negative", {count});
        }
        const Shape extent = m.Sizes(m.Call("maximum", {count, m.Number(0)}));
        const GraphVar places =
            m.Call("arange", {}, {{"stop", ShapeAttr(extent)}, {"dtype", StringAttr("int64")}});
        const GraphVar offsets = m.Call("multiply", {cast(places, wide), step});
        return cast(m.Call("add", {start, offsets}), dtype);
      },
      .examples = {{{"T[] in 0:3", "T[] in 4:9", "T[] in 1:3"}},
                   {{"int32[] in 9:12", "int32[] in -3:2", "int32[] in -4:-1"}}}};
}

}  // namespace

std::vector<OpDef> DynamicExtents() {
  return {DynBroadcastTo(), DynFull(), DynTile(), DynTopK(), DynOneHot(), DynArange()};
}

}  // namespace lathe::graph::ops
