// Tensors that are made from attributes and shapes.
#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

Expr Int64Of(int64_t value) { return ir::Int(value, DataType::Int(64)); }

// A number as an element of any type.
Expr Element(int64_t value, DataType dtype) {
  return dtype.is_bool() ? ir::Bool(value != 0) : Num(value, dtype);
}

// The number of elements, if it is known and so small that elements are followed; else -1.
int64_t FollowedCount(const Shape& shape) {
  int64_t count = 1;
  for (const Expr& extent : shape) {
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr || *number < 0 || *number > 64) return -1;
    count *= *number;
    if (count > 64) return -1;
  }
  return count;
}

bool IsFollowed(DataType dtype) { return dtype.is_integral() && dtype.bits() >= 32; }

// A tensor type whose elements are all `value`, which may be null: not known.
TypeResult Everywhere(DataType dtype, Shape shape, const Expr& value) {
  const int64_t count = FollowedCount(shape);
  TypeResult result(TensorOf(dtype, std::move(shape)));
  if (value && count >= 0 && IsFollowed(dtype)) {
    result.value = std::vector<Expr>(static_cast<size_t>(count), value);
  }
  return result;
}

DataType NeedType(const TypeContext& c, DataType fallback = DataType::Void()) {
  DataType dtype = c.attrs.Type("dtype");
  if (dtype.is_void()) dtype = fallback;
  if (dtype.is_void()) c.FailAttr("dtype", "names no type", "an element type", "\"\"");
  return dtype;
}

// An attribute that is one extent.
Expr OneExtent(const TypeContext& c, const char* attr) {
  const std::vector<Expr> values = c.attrs.Shape(attr);
  if (values.size() != 1) {
    c.FailAttr(attr, "has the wrong number of entries", "1", std::to_string(values.size()));
  }
  return values[0];
}
Expr OneExtent(const ComputeContext& c, const char* attr) { return Narrow(c.attrs.Shape(attr)[0]); }

AttrDef Optional(AttrDef extent, Expr fallback) {
  extent.fallback = std::move(fallback);
  return extent;
}

OpDef Filled(std::string name, int value) {
  return {.name = std::move(name),
          .doc = "A tensor of the given shape with " + std::to_string(value) + " everywhere.",
          .inputs = {},
          .attrs = {Extents("shape", "the shape of the result"),
                    Required(ElementType("dtype", "the element type of the result"))},
          .kind = OpKind::kBroadcast,
          .type = [value](const TypeContext& c) -> TypeResult {
            return Everywhere(NeedType(c), c.attrs.Shape("shape"), Int64Of(value));
          },
          .compute =
              [value](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices&) { return Element(value, c.dtype()); }, "y",
                    te::kBroadcast);
              },
          .examples = {{{}, {{"shape", IntsAttr({3, 5})}, {"dtype", StringAttr("float32")}}},
                       {{}, {{"shape", IntsAttr({7})}, {"dtype", StringAttr("bool")}}},
                       {{}, {{"shape", IntsAttr({2, 2})}, {"dtype", StringAttr("int64")}}},
                       {{}, {{"shape", IntsAttr({})}, {"dtype", StringAttr("float16")}}}}};
}

OpDef Full() {
  return {.name = "full",
          .doc = "A tensor of the given shape with one value everywhere.",
          .inputs = {{"fill_value", "the value; a tensor of one element, of rank 0 or 1"}},
          .attrs = {Extents("shape", "the shape of the result"),
                    ElementType("dtype", "the element type of the result; \"\": the value's")},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 0, 1);
            if (c.rank(0) == 1) c.NeedExtent(0, 0, Int64Of(1), "one value");
            return Everywhere(NeedType(c, c.dtype(0)), c.attrs.Shape("shape"),
                              c.values[0] ? (*c.values[0])[0] : Expr());
          },
          .compute =
              [](const ComputeContext& c) {
                const std::vector<Expr> at(c.in(0)->shape().size(), ir::Int(0));
                return One(
                    c.shape(),
                    [&](const Indices&) { return ir::MakeCast(c.dtype(), At(c.in(0), at)); }, "y",
                    te::kBroadcast);
              },
          .examples = {{{"T[]"}, {{"shape", IntsAttr({3, 5})}}},
                       {{"float32[1] in 0:9"},
                        {{"shape", IntsAttr({4})}, {"dtype", StringAttr("int32")}}}}};
}

OpDef FullLike() {
  return {.name = "full_like",
          .doc = "A tensor of the type and shape of `data` with one value everywhere.",
          .inputs = {{"data", "gives type and shape; its elements are not read"},
                     {"fill_value", "the value; a tensor of one element, of rank 0 or 1"}},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(1, 0, 1);
            if (c.rank(1) == 1) c.NeedExtent(1, 0, Int64Of(1), "one value");
            return Everywhere(c.dtype(0), c.shape(0), c.values[1] ? (*c.values[1])[0] : Expr());
          },
          .compute =
              [](const ComputeContext& c) {
                const std::vector<Expr> at(c.in(1)->shape().size(), ir::Int(0));
                return One(
                    c.shape(),
                    [&](const Indices&) { return ir::MakeCast(c.dtype(), At(c.in(1), at)); }, "y",
                    te::kBroadcast);
              },
          .examples = {{{"T[n, 3]", "T[]"}}, {{"T[4, n]", "int32[1] in 0:5"}}}};
}

OpDef Arange() {
  return {
      .name = "arange",
      .doc =
          "start, start + step, ... before stop: [max(0, ceil((stop - start) / step))]. The bounds "
          "may be expressions over sizes; fractional steps are a product with the result.",
      .inputs = {},
      .attrs = {Optional(Extents("start", "the first value"), Int64Of(0)),
                Extents("stop", "the bound; no element reaches it"),
                Int("step", "the distance of neighbours; not 0", 1),
                ElementType("dtype", "the element type of the result", "float32")},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        const Expr start = OneExtent(c, "start"), stop = OneExtent(c, "stop");
        const int64_t step = c.attrs.Int("step");
        if (step == 0) c.FailAttr("step", "is 0", "another number", "0");
        const DataType dtype = NeedType(c);
        if (dtype.is_bool()) c.FailAttr("dtype", "has no numbers", "a number type", "bool");
        const Expr length = arith::Analyzer().Simplify(step > 0 ? stop - start : start - stop);
        const int64_t size = step > 0 ? step : -step;
        const Expr count = ir::MakeMax(ir::FloorDivide(length + (size - 1), size), Int64Of(0));
        const int64_t* number = ir::AsConstInt(count);
        TypeResult result(TensorOf(dtype, {count}));
        if (number != nullptr && *number <= 64 && IsFollowed(dtype)) {
          std::vector<Expr> value;
          for (int64_t i = 0; i < *number; ++i) value.push_back(start + i * step);
          result.value = std::move(value);
        }
        return result;
      },
      .compute =
          [](const ComputeContext& c) {
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr at = Expr(i[0]) * c.attrs.Int("step");
                  return ir::MakeCast(c.dtype(), OneExtent(c, "start") + at);
                },
                "y", te::kInjective);
          },
      .examples = {{{}, {{"stop", IntAttr(7)}}},
                   {{},
                    {{"start", IntAttr(9)},
                     {"stop", IntAttr(-4)},
                     {"step", IntAttr(-3)},
                     {"dtype", StringAttr("int64")}}},
                   {{},
                    {{"start", IntAttr(2)}, {"stop", IntAttr(90)}, {"dtype", StringAttr("uint8")}}},
                   {{}, {{"start", IntAttr(3)}, {"stop", IntAttr(1)}}}}};
}

OpDef ShapeOf() {
  return {.name = "shape_of",
          .doc = "The extents of `data`: [rank]. Its elements are not read.",
          .inputs = {{"data", "the tensor"}},
          .attrs = {ElementType("dtype", "the element type of the result", "int32")},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            const DataType dtype = NeedType(c);
            if (!IsFollowed(dtype)) {
              c.FailAttr("dtype", "cannot hold extents", "int32 or int64", dtype.ToString());
            }
            TypeResult result(TensorOf(dtype, {Int64Of(c.rank(0))}));
            result.value = c.shape(0);
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                const te::Shape& extents = c.in(0)->shape();
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      Expr y = Num(0, c.dtype());
                      for (size_t d = extents.size(); d-- > 0;) {
                        y = ir::MakeSelect(ir::Equal(i[0], ir::Int(static_cast<int64_t>(d))),
                                           ir::MakeCast(c.dtype(), extents[d]), y);
                      }
                      return y;
                    },
                    "y");
              },
          .examples = {{{"T[n, 3, m]"}},
                       {{"float32[n, 4]"}, {{"dtype", StringAttr("int64")}}},
                       {{"float32[]"}}}};
}

OpDef NdarraySize() {
  return {.name = "ndarray_size",
          .doc = "The number of elements of `data`: []. Its elements are not read.",
          .inputs = {{"data", "the tensor"}},
          .attrs = {ElementType("dtype", "the element type of the result", "int32")},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            const DataType dtype = NeedType(c);
            if (!IsFollowed(dtype)) {
              c.FailAttr("dtype", "cannot hold sizes", "int32 or int64", dtype.ToString());
            }
            Expr size = Int64Of(1);
            for (const Expr& extent : c.shape(0)) size = size * extent;
            TypeResult result(TensorOf(dtype, {}));
            result.value = {size};
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                Expr size = Num(1, c.dtype());
                for (const Expr& extent : c.in(0)->shape()) {
                  size = size * ir::MakeCast(c.dtype(), extent);
                }
                return One(c.shape(), [&](const Indices&) { return size; }, "y");
              },
          .examples = {{{"T[n, 3]"}}, {{"float32[]"}, {{"dtype", StringAttr("int64")}}}}};
}

OpDef OneHot() {
  return {
      .name = "one_hot",
      .doc =
          "`on_value` where the place along a new dimension is the index, else `off_value`: the "
          "shape of `indices` with `depth` inserted. Indices outside of [0, depth) are off.",
      .inputs = {{"indices", "the places; any shape", kIntegers},
                 {"on_value", "[]", kAnyType},
                 {"off_value", "[]", kAnyType, 1}},
      .attrs = {Extents("depth", "the extent of the new dimension"),
                Int("axis", "where the new dimension is", -1),
                ElementType("dtype", "the element type of the result; \"\": that of `on_value`")},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(1, 0, 0);
        c.NeedRank(2, 0, 0);
        Shape out = c.shape(0);
        out.insert(out.begin() + AxisOf(c, "axis", c.rank(0) + 1), OneExtent(c, "depth"));
        return TensorOf(NeedType(c, c.dtype(1)), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const int64_t axis = AxisOf(c, "axis", c.in(0)->ndim() + 1);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  at.erase(at.begin() + axis);
                  // As 64 bits: a place may be beyond the type of the indices.
                  const Expr place = ir::MakeCast(DataType::Int(64), i[static_cast<size_t>(axis)]);
                  const Expr index = ir::MakeCast(DataType::Int(64), At(c.in(0), at));
                  return ir::MakeCast(c.dtype(), ir::MakeSelect(ir::Equal(index, place),
                                                                At(c.in(1), {}), At(c.in(2), {})));
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[n, 3]", "float32[]", "float32[]"}, {{"depth", IntAttr(6)}}},
                   {{"int32[n, 3]", "int32[]", "int32[]"},
                    {{"depth", IntAttr(6)}, {"axis", IntAttr(0)}, {"dtype", StringAttr("int8")}}}}};
}

OpDef Eye() {
  return {
      .name = "eye",
      .doc = "[n, m] with 1 on diagonal k and 0 elsewhere: y[i, j] = (j - i == k).",
      .inputs = {},
      .attrs = {Extents("n", "the number of rows"),
                Optional(Extents("m", "the number of columns; -1: as many as rows"), Int64Of(-1)),
                Int("k", "the diagonal; above the main one if positive", 0, INT32_MIN / 2,
                    INT32_MAX / 2),
                ElementType("dtype", "the element type of the result", "float32")},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        const Expr rows = OneExtent(c, "n"), columns = OneExtent(c, "m");
        return TensorOf(NeedType(c), {rows, ir::IsConstInt(columns, -1) ? rows : columns});
      },
      .compute =
          [](const ComputeContext& c) {
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr k = ir::Int(c.attrs.Int("k"));
                  return ir::MakeSelect(ir::Equal(Expr(i[1]) - i[0], k), Element(1, c.dtype()),
                                        Element(0, c.dtype()));
                },
                "y", te::kInjective);
          },
      .examples = {{{}, {{"n", IntAttr(4)}}},
                   {{},
                    {{"n", IntAttr(3)},
                     {"m", IntAttr(5)},
                     {"k", IntAttr(1)},
                     {"dtype", StringAttr("bool")}}},
                   {{}, {{"n", IntAttr(5)}, {"k", IntAttr(-2)}, {"dtype", StringAttr("int8")}}}}};
}

OpDef Trilu() {
  return {.name = "trilu",
          .doc =
              "The upper or lower triangle of the last two dimensions; the rest is 0 (ONNX). The "
              "triangle includes diagonal k.",
          .inputs = {{"data", "[..., rows, columns]"},
                     {"k", "the diagonal, []; above the main one if positive; 0 if left out",
                      kIndices}},
          .attrs = {Flag("upper", "the upper triangle?", true)},
          .kind = OpKind::kInjective,
          .optional_inputs = 1,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 2, INT32_MAX);
            if (c.size() > 1) c.NeedRank(1, 0, 0);
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      const size_t rank = i.size();
                      const DataType wide = DataType::Int(64);
                      const Expr k =
                          c.size() > 1 ? ir::MakeCast(wide, At(c.in(1), {})) : Int64Of(0);
                      const Expr above =
                          ir::MakeCast(wide, i[rank - 1]) - ir::MakeCast(wide, i[rank - 2]);
                      return ir::MakeSelect(c.attrs.Bool("upper") ? above >= k : above <= k,
                                            At(c.in(0), AsExprs(i)), Element(0, c.dtype()));
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 4]"}},
                       {{"float32[2, n, 4]", "int64[] in -2:2"}, {{"upper", BoolAttr(false)}}}}};
}

}  // namespace

std::vector<OpDef> Create() {
  return {Filled("zeros", 0), Filled("ones", 1), Full(),   FullLike(), Arange(),
          ShapeOf(),          NdarraySize(),     OneHot(), Eye(),      Trilu()};
}

}  // namespace lathe::graph::ops
