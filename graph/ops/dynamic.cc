#include "graph/ops/dynamic.h"

#include <algorithm>
#include <cstring>

#include "arith/analyzer.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {

constexpr int64_t kMostNumbers = 64;  // as many as Builder::ValueOf follows

// -- Types.

int64_t CountOf(const TypeContext& c, size_t i) {
  c.NeedRank(i, 1, 1);
  const int64_t* count = ir::AsConstInt(c.shape(i)[0]);
  if (count != nullptr && *count <= kMostNumbers) return *count;
  c.FailArgument(i, "has an extent that decides a rank",
                 "a number of at most " + std::to_string(kMostNumbers), ExtentText(c.shape(i)[0]));
}

Expr NewSize(TypeResult& result) {
  result.sizes.push_back(ir::MakeSizeVar("extent", DataType::Int(64)));
  return result.sizes.back();
}

Shape SizesOf(const TypeContext& c, size_t i, size_t count, TypeResult& result) {
  if (c.values[i]) return *c.values[i];
  Shape sizes;
  for (size_t d = 0; d < count; ++d) sizes.push_back(NewSize(result));
  return sizes;
}

TypeResult NewShapeType(const TypeContext& c, size_t shape_input, DataType dtype) {
  TypeResult result(nullptr);
  const auto count = static_cast<size_t>(CountOf(c, shape_input));
  result.type = TensorOf(dtype, SizesOf(c, shape_input, count, result));
  return result;
}

void NeedOneNumber(const TypeContext& c, size_t i) {
  c.NeedRank(i, 0, 1);
  if (c.rank(i) == 1) c.NeedExtent(i, 0, Int64(1), "one number");
}

// -- Building.

GraphVar Maker::Number(int64_t value) const {
  return builder_.Scalar(static_cast<double>(value), DataType::Int(64));
}

GraphVar Maker::Wide(const GraphVar& x) const {
  if (TypeIn(x) == DataType::Int(64)) return x;
  return Call("cast", {x}, {{"dtype", StringAttr("int64")}});
}

GraphVar Maker::ExtentsOf(const GraphVar& x) const {
  return Call("shape_of", {x}, {{"dtype", StringAttr("int64")}});
}

GraphVar Maker::Pick(const GraphVar& vector, const std::vector<int64_t>& places) const {
  const auto count = static_cast<int64_t>(places.size());
  std::string bytes(places.size() * sizeof(int64_t), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), places.data(), bytes.size());
  const GraphVar at = builder_.Constant("", DataType::Int(64), {count}, Blob::Copy(bytes));
  return Call("take", {vector, at}, {{"axis", IntAttr(0)}});
}

GraphVar Maker::Element(const GraphVar& vector, int64_t at) const {
  const GraphVar part =
      Call("strided_slice", {vector}, {{"begin", IntsAttr({at})}, {"end", IntsAttr({at + 1})}});
  return Call("reshape", {part}, {{"newshape", IntsAttr({})}});
}

GraphVar Maker::AsVector(const GraphVar& x) const {
  return ShapeIn(x).size() == 1 ? x : Call("reshape", {x}, {{"newshape", IntsAttr({-1})}});
}

Shape Maker::Sizes(const GraphVar& numbers) const {
  if (const Shape* known = Known(numbers)) return *known;
  const GraphVar vector = AsVector(numbers);
  const GraphVar empty = Call("as_shape", {vector});
  const Shape& shape = ShapeIn(empty);
  return {shape.begin() + 1, shape.end()};
}

namespace {

// -- reshape.

// The shape of a reshaped tensor from known numbers: -1 (once) is what is left, 0 keeps an extent.
Shape KnownReshape(const Shape& numbers, const Shape& from, bool allow_zero) {
  Shape shape = numbers;
  Expr others = Int64(1), whole = Int64(1);
  ptrdiff_t rest = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (ir::IsZero(shape[d]) && !allow_zero && d < from.size()) shape[d] = from[d];
    if (ir::IsConstInt(shape[d], -1)) {
      rest = static_cast<ptrdiff_t>(d);
    } else {
      others = others * shape[d];
    }
  }
  for (const Expr& extent : from) whole = whole * extent;
  arith::Analyzer analyzer;
  others = analyzer.Simplify(others);
  if (rest >= 0) {
    shape[static_cast<size_t>(rest)] =
        ir::IsZero(others) ? others : analyzer.Simplify(ir::FloorDivide(whole, others));
  }
  return shape;
}

GraphVar ExpandReshape(Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
  const Maker m(b);
  const bool allow_zero = attrs.Bool("allow_zero");
  if (const Shape* known = m.Known(x[1])) {
    return m.Call("reshape", {x[0]},
                  {{"newshape", ShapeAttr(KnownReshape(*known, ShapeIn(x[0]), allow_zero))}});
  }
  const int64_t wanted = *ir::AsConstInt(ShapeIn(x[1])[0]);
  const auto rank = static_cast<int64_t>(ShapeIn(x[0]).size());
  if (wanted == 0) return m.Call("reshape", {x[0]}, {{"newshape", IntsAttr({})}});
  GraphVar shape = m.Wide(x[1]);
  if (!allow_zero && rank > 0) {
    std::vector<int64_t> places;
    for (int64_t d = 0; d < wanted; ++d) places.push_back(std::min(d, rank - 1));
    const GraphVar from = m.Pick(m.ExtentsOf(x[0]), places);
    shape = m.Call("where", {m.Call("equal", {shape, m.Number(0)}), from, shape});
  }
  // Of -1 and the other extents, the product is that of the others, negative.
  const GraphVar is_rest = m.Call("less", {shape, m.Number(0)});
  const GraphVar others =
      m.Call("prod", {m.Call("where", {is_rest, m.Number(1), shape})}, {{"axis", IntsAttr({0})}});
  const GraphVar count = m.Call("ndarray_size", {x[0]}, {{"dtype", StringAttr("int64")}});
  const GraphVar rest = m.Call("floor_divide", {count, m.Call("maximum", {others, m.Number(1)})});
  shape = m.Call("where", {is_rest, rest, shape});
  return m.Call("reshape", {x[0]}, {{"newshape", ShapeAttr(m.Sizes(shape))}});
}

OpDef DynReshape() {
  return {
      .name = "dyn.reshape",
      .doc =
          "The input in the shape that `newshape` says when the graph runs: -1 (once) is what "
          "is left, 0 keeps the extent at that place. A composition.",
      .inputs = {{"data", "the input"}, NumbersInput("newshape", "the shape: [its rank]")},
      .attrs = {Flag("allow_zero", "is 0 an extent of 0?", false)},
      .type = [](const TypeContext& c) -> TypeResult {
        if (!c.values[1]) return NewShapeType(c, 1, c.dtype(0));
        return TensorOf(c.dtype(0),
                        KnownReshape(*c.values[1], c.shape(0), c.attrs.Bool("allow_zero")));
      },
      .expand = ExpandReshape,
      .examples = {{{"T[2, n]", "int64[1] in -1:-1"}},
                   {{"float32[2, n, 3]", "int32[1] in -1:-1"}, {{"allow_zero", BoolAttr(true)}}}}};
}

// -- Dimensions of extent 1.

// A vector of `count` numbers: 1 at `places` (which may be negative), else 0.
GraphVar Marks(const Maker& m, const GraphVar& places, int64_t count) {
  const GraphVar wide = m.Wide(m.AsVector(places));
  const GraphVar from_front = m.Call(
      "where", {m.Call("less", {wide, m.Number(0)}), m.Call("add", {wide, m.Number(count)}), wide});
  const GraphVar zeros =
      m.Call("zeros", {}, {{"shape", IntsAttr({count})}, {"dtype", StringAttr("int64")}});
  const GraphVar ones = m.Call("ones_like", {from_front});
  return m.Call("scatter_elements", {zeros, from_front, ones}, {{"axis", IntAttr(0)}});
}

OpDef DynExpandDims() {
  return {
      .name = "dyn.expand_dims",
      .doc =
          "The input with dimensions of extent 1 at places of the result that a run knows; "
          "negative ones count from the end. A composition.",
      .inputs = {{"data", "the input"}, NumbersInput("axis", "the places, all different: [k]")},
      .type = [](const TypeContext& c) -> TypeResult {
        const size_t count = static_cast<size_t>(CountOf(c, 1)), rank = c.shape(0).size() + count;
        TypeResult result(nullptr);
        Shape shape;
        for (size_t d = 0; d < rank; ++d) shape.push_back(NewSize(result));
        result.type = TensorOf(c.dtype(0), std::move(shape));
        return result;
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) -> GraphVar {
        const Maker m(b);
        const auto rank = static_cast<int64_t>(ShapeIn(x[0]).size());
        const int64_t more = *ir::AsConstInt(ShapeIn(x[1])[0]);
        if (rank == 0) {
          return m.Call(
              "reshape", {x[0]},
              {{"newshape", IntsAttr(std::vector<int64_t>(static_cast<size_t>(more), 1))}});
        }
        const GraphVar marks = Marks(m, x[1], rank + more), one = m.Number(1), zero = m.Number(0);
        // Of a dimension that is kept, the number among those: how many are kept up to it, less 1.
        const GraphVar kept = m.Call("cumsum", {m.Call("subtract", {one, marks})},
                                     {{"axis", IntsAttr({0})}, {"dtype", StringAttr("int64")}});
        const GraphVar from = m.Call("maximum", {m.Call("subtract", {kept, one}), zero});
        const GraphVar extents = m.Call("take", {m.ExtentsOf(x[0]), from}, {{"axis", IntAttr(0)}});
        const GraphVar shape = m.Call("where", {m.Call("equal", {marks, one}), one, extents});
        return m.Call("reshape", {x[0]}, {{"newshape", ShapeAttr(m.Sizes(shape))}});
      },
      .examples = {{{"T[3, n]", "int64[1] in -3:2"}}, {{"float32[]", "int32[2] in 0:0"}}}};
}

OpDef DynSqueeze() {
  return {
      .name = "dyn.squeeze",
      .doc =
          "The input without dimensions of extent 1 whose places a run knows; negative ones count "
          "from the end. A composition.",
      .inputs = {{"data", "the input"}, NumbersInput("axis", "the places, all different: [k]")},
      .type = [](const TypeContext& c) -> TypeResult {
        const int64_t count = CountOf(c, 1);
        if (count > c.rank(0)) {
          c.FailArgument(1, "has more places than `data` has dimensions",
                         "at most " + std::to_string(c.rank(0)), std::to_string(count));
        }
        TypeResult result(nullptr);
        Shape shape;
        for (int64_t d = count; d < c.rank(0); ++d) shape.push_back(NewSize(result));
        result.type = TensorOf(c.dtype(0), std::move(shape));
        return result;
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) -> GraphVar {
        const Maker m(b);
        const auto rank = static_cast<int64_t>(ShapeIn(x[0]).size());
        const int64_t kept = rank - *ir::AsConstInt(ShapeIn(x[1])[0]);
        if (kept == 0) return m.Call("reshape", {x[0]}, {{"newshape", IntsAttr({})}});
        // Sorted by whether they go, in their order, the dimensions that stay come first.
        const GraphVar order = m.Call("argsort", {Marks(m, x[1], rank)},
                                      {{"axis", IntAttr(0)}, {"dtype", StringAttr("int64")}});
        const GraphVar stay =
            m.Call("strided_slice", {order}, {{"begin", IntsAttr({0})}, {"end", IntsAttr({kept})}});
        const GraphVar shape = m.Call("take", {m.ExtentsOf(x[0]), stay}, {{"axis", IntAttr(0)}});
        return m.Call("reshape", {x[0]}, {{"newshape", ShapeAttr(m.Sizes(shape))}});
      },
      .examples = {{{"T[1, n]", "int64[1] in 0:0"}}, {{"float32[3, 1]", "int32[1] in -1:-1"}}}};
}

}  // namespace

std::vector<OpDef> Dynamic() {
  std::vector<OpDef> all{DynReshape(), DynExpandDims(), DynSqueeze()};
  for (auto part : {DynamicExtents(), DynamicSlices()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace lathe::graph::ops
