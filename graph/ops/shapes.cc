// Other shapes of the same elements, and tensors put together and taken apart.
#include <algorithm>

#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

Expr One64() { return ir::Int(1, DataType::Int(64)); }

Expr ProductOf(const Shape& shape) {
  Expr product = One64();
  for (const Expr& extent : shape) product = product * extent;
  return product;
}

// The position of an element in row-major order, and the reverse.
Expr Flat(const std::vector<Expr>& at, const te::Shape& shape) {
  Expr flat = ir::Int(0);
  for (size_t d = 0; d < at.size(); ++d) flat = d == 0 ? at[0] : flat * shape[d] + at[d];
  return flat;
}
std::vector<Expr> Unflat(Expr flat, const te::Shape& shape) {
  std::vector<Expr> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = d == 0 ? flat : ir::FloorModulo(flat, shape[d]);
    if (d > 0) flat = ir::FloorDivide(flat, shape[d]);
  }
  return at;
}

// The result has the elements of the input in row-major order.
Results SameElements(const ComputeContext& c) {
  const Tensor& x = c.in(0);
  return One(
      c.shape(),
      [&](const Indices& i) {
        const std::vector<Expr> at = AsExprs(i);
        return At(x, Unflat(Flat(at, c.shape()), x->shape()));
      },
      "y", te::kInjective);
}

// A view: other extents, no kernel.
OpDef View(std::string name, std::string doc, std::vector<AttrDef> attrs,
           std::function<Shape(const TypeContext&)> shape, std::vector<OpExample> examples) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"data", "the input"}},
          .attrs = std::move(attrs),
          .kind = OpKind::kInjective,
          .is_view = true,
          .type =
              [shape = std::move(shape)](const TypeContext& c) {
                TypeResult result(TensorOf(c.dtype(0), shape(c)));
                result.value = c.values[0];
                return result;
              },
          .compute = SameElements,
          .examples = std::move(examples)};
}

// The shape that `newshape` says: 0 keeps the input's extent at that place, -1 (once) is what is
// left, -2 keeps all further extents, -3 is the product of two extents of the input, and -4 splits
// one extent into the two numbers that follow, one of which may be -1.
Shape NewShape(const TypeContext& c) {
  const Shape& from = c.shape(0);
  const std::vector<Expr> wanted = c.attrs.Shape("newshape");
  Shape out;
  size_t at = 0;  // the next extent of `from`
  ptrdiff_t rest = -1;
  const auto next = [&]() -> const Expr& {
    if (at >= from.size()) {
      c.FailAttr("newshape", "keeps more dimensions than there are", std::to_string(from.size()),
                 std::to_string(at + 1));
    }
    return from[at++];
  };
  for (size_t i = 0; i < wanted.size(); ++i) {
    const int64_t* number = ir::AsConstInt(wanted[i]);
    if (number == nullptr || *number > 0) {
      out.push_back(wanted[i]);
      if (at < from.size()) ++at;
    } else if (*number == 0) {
      // A tensor without elements may have an extent of 0 that is meant.
      out.push_back(at < from.size() ? next() : wanted[i]);
    } else if (*number == -1) {
      if (rest >= 0) c.FailAttr("newshape", "has two entries of -1", "one", "two");
      rest = static_cast<ptrdiff_t>(out.size());
      out.push_back(One64());
      if (at < from.size()) ++at;
    } else if (*number == -2) {
      while (at < from.size()) out.push_back(next());
    } else if (*number == -3) {
      const Expr first = next();
      out.push_back(first * next());
    } else if (*number == -4 && i + 2 < wanted.size()) {
      const Expr whole = next();
      Expr a = wanted[i + 1], b = wanted[i + 2];
      if (ir::IsConstInt(a, -1)) a = ir::FloorDivide(whole, b);
      if (ir::IsConstInt(b, -1)) b = ir::FloorDivide(whole, a);
      out.push_back(a);
      out.push_back(b);
      i += 2;
    } else {
      c.FailAttr("newshape", "has an entry without meaning", "at least -4",
                 std::to_string(*number));
    }
  }
  arith::Analyzer analyzer;
  const Expr elements = analyzer.Simplify(ProductOf(from));
  // Of a tensor without elements, a 0 may be a size that became 0 when it was bound.
  const bool plain = std::ranges::all_of(wanted, [](const Expr& extent) {
    const int64_t* number = ir::AsConstInt(extent);
    return number != nullptr && *number >= 0;
  });
  if (plain && ir::IsZero(elements) && !ir::IsZero(analyzer.Simplify(ProductOf(out))) &&
      ir::IsZero(analyzer.Simplify(ProductOf(wanted))))
    return wanted;
  if (rest >= 0) {
    const Expr others = analyzer.Simplify(ProductOf(out));
    if (ir::IsZero(others)) {
      c.FailAttr("newshape", "has an entry of -1 that could be anything", "no extents of 0", "0");
    }
    out[static_cast<size_t>(rest)] = analyzer.Simplify(ir::FloorDivide(elements, others));
  }
  // Where both sides have the same sizes, nothing is left to a run.
  const Expr found = analyzer.Simplify(ProductOf(out));
  const std::vector<ir::Var> known = ir::FreeVars(elements), used = ir::FreeVars(found);
  const bool decided = std::ranges::is_permutation(
      known, used, [](const ir::Var& a, const ir::Var& b) { return a.same_as(b); });
  const bool fits = decided ? SameExtent(found, elements)
                            : c.Assume(SizeAssumption::Kind::kEqual, found, elements,
                                       "the number of elements of argument 0 (`data`) of reshape");
  if (!fits) {
    c.FailAttr("newshape", "has another number of elements than `data`", ExtentText(elements),
               ExtentText(analyzer.Simplify(ProductOf(out))));
  }
  return out;
}

Shape Squeezed(const TypeContext& c) {
  const Shape& from = c.shape(0);
  std::vector<int64_t> axes = AxesOf(c, "axis", c.rank(0));
  if (axes.empty()) {
    for (size_t d = 0; d < from.size(); ++d) {
      if (ir::IsOne(from[d])) axes.push_back(static_cast<int64_t>(d));
    }
  }
  Shape out;
  for (size_t d = 0; d < from.size(); ++d) {
    if (std::ranges::count(axes, static_cast<int64_t>(d)) == 0) {
      out.push_back(from[d]);
    } else if (!SameExtent(from[d], One64())) {
      c.FailAttr("axis", "names a dimension that is not 1", "1", ExtentText(from[d]));
    }
  }
  return out;
}

Shape Expanded(const TypeContext& c) {
  const int64_t rank = c.rank(0), axis = c.attrs.Int("axis");
  if (axis < -rank - 1 || axis > rank) {
    c.FailAttr("axis", "is no place for a new dimension",
               std::to_string(-rank - 1) + " to " + std::to_string(rank), std::to_string(axis));
  }
  Shape out = c.shape(0);
  out.insert(out.begin() + (axis < 0 ? axis + rank + 1 : axis),
             static_cast<size_t>(c.attrs.Int("num_newaxis")), One64());
  return out;
}

Shape BatchFlat(const TypeContext& c) {
  c.NeedRank(0, 1, 16);
  const Shape& from = c.shape(0);
  return {from[0], ProductOf({from.begin() + 1, from.end()})};
}

std::vector<size_t> Permutation(std::vector<int64_t> axes, size_t rank) {
  std::vector<size_t> order(axes.begin(), axes.end());
  if (order.empty()) {
    for (size_t d = rank; d-- > 0;) order.push_back(d);
  }
  return order;
}

OpDef Transpose() {
  return {.name = "transpose",
          .doc =
              "The dimensions in another order: dimension d of the result is dimension axes[d] of "
              "the input.",
          .inputs = {{"data", "the input"}},
          .attrs = {Ints("axes", "the order; empty: reversed", {})},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const std::vector<int64_t> axes = AxesOf(c, "axes", c.rank(0));
            if (!axes.empty() && static_cast<int>(axes.size()) != c.rank(0)) {
              c.FailAttr("axes", "has the wrong number of entries", std::to_string(c.rank(0)),
                         std::to_string(axes.size()));
            }
            Shape out;
            for (const size_t d : Permutation(axes, c.shape(0).size())) {
              out.push_back(c.shape(0)[d]);
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const std::vector<size_t> order =
                    Permutation(AxesOf(c, "axes", x->ndim()), x->shape().size());
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at(order.size());
                      for (size_t d = 0; d < order.size(); ++d) at[order[d]] = i[d];
                      return At(x, at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3, 5]"}}, {{"T[2, n, 5]"}, {{"axes", IntsAttr({2, 0, 1})}}}}};
}

OpDef BroadcastTo() {
  return {.name = "broadcast_to",
          .doc = "The input, repeated along dimensions of extent 1 and new ones in front.",
          .inputs = {{"data", "the input"}},
          .attrs = {Extents("shape", "the shape of the result")},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            const Shape shape = c.attrs.Shape("shape");
            const Shape& from = c.shape(0);
            if (from.size() > shape.size()) {
              c.FailAttr("shape", "has fewer dimensions than `data`",
                         "at least " + std::to_string(from.size()), std::to_string(shape.size()));
            }
            for (size_t d = 0; d < from.size(); ++d) {
              if (ir::IsOne(from[d])) continue;
              c.NeedExtent(0, d, shape[shape.size() - from.size() + d], "of `shape`");
            }
            return TensorOf(c.dtype(0), shape);
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(), [&](const Indices& i) { return BroadcastAt(c.in(0), AsExprs(i)); },
                    "y", te::kBroadcast);
              },
          .examples = {{{"T[4, 1, 5]"}, {{"shape", IntsAttr({2, 4, 3, 5})}}}}};
}

OpDef Concatenate() {
  return {.name = "concatenate",
          .doc = "The inputs one behind the other along one dimension.",
          .inputs = {{"data", "the inputs", kAnyType, 0}},
          .attrs = {Int("axis", "the dimension", 0)},
          .kind = OpKind::kInjective,
          .variadic = true,
          .type = [](const TypeContext& c) -> TypeResult {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
            Shape out = c.shape(0);
            std::optional<std::vector<Expr>> value = c.values[0];
            for (size_t i = 1; i < c.size(); ++i) {
              c.NeedRank(i, c.rank(0), c.rank(0));
              for (size_t d = 0; d < out.size(); ++d) {
                if (d == axis) continue;
                c.NeedExtent(i, d, out[d], "of the first input");
              }
              out[axis] = out[axis] + c.shape(i)[axis];
              if (value && c.values[i] && out.size() == 1) {
                value->insert(value->end(), c.values[i]->begin(), c.values[i]->end());
              } else {
                value.reset();
              }
            }
            TypeResult result(TensorOf(c.dtype(0), std::move(out)));
            result.value = std::move(value);
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      // From the last to the first: which input the place belongs to.
                      std::vector<Expr> first{ir::Int(0)};
                      for (const Tensor& x : c.inputs) {
                        first.push_back(first.back() + x->shape()[axis]);
                      }
                      Expr y;
                      for (size_t k = c.size(); k-- > 0;) {
                        std::vector<Expr> at = AsExprs(i);
                        at[axis] = at[axis] - first[k];
                        const Expr element = At(c.in(k), at);
                        y = y ? ir::IfThenElse(i[axis] < first[k + 1], element, y) : element;
                      }
                      return y;
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3]", "T[n, 4]", "T[n, 5]"}, {{"axis", IntAttr(1)}}},
                       {{"T[n, 3]", "T[2, 3]"}}}};
}

}  // namespace

std::vector<OpDef> Shapes() {
  std::vector<OpDef> ops;
  ops.push_back(
      View("reshape",
           "The same elements in row-major order, in another shape. In `newshape`, 0 keeps "
           "an extent, -1 is what is left, -2 keeps all further extents, -3 merges two, -4 "
           "splits one into the two numbers that follow.",
           {Extents("newshape", "the shape of the result")}, NewShape,
           {{{"T[n, 6]"}, {{"newshape", IntsAttr({-1, 3})}}},
            {{"T[n, 6]"}, {{"newshape", IntsAttr({0, -4, 2, -1})}}},
            {{"T[n, 2, 6]"}, {{"newshape", IntsAttr({-3, 0})}}}}));
  ops.push_back(View("squeeze", "The input without dimensions of extent 1.",
                     {Ints("axis", "which; empty: all", {})}, Squeezed,
                     {{{"T[1, n, 1]"}}, {{"T[1, n, 1]"}, {{"axis", IntsAttr({-1})}}}}));
  ops.push_back(View("expand_dims", "The input with new dimensions of extent 1.",
                     {Required(Int("axis", "where", 0)), Int("num_newaxis", "how many", 1, 0, 16)},
                     Expanded,
                     {{{"T[n, 3]"}, {{"axis", IntAttr(1)}}},
                      {{"T[n, 3]"}, {{"axis", IntAttr(-1)}, {"num_newaxis", IntAttr(2)}}}}));
  ops.push_back(View("nn.batch_flatten",
                     "All dimensions but the first as one: [batch, the product of the others].", {},
                     BatchFlat, {{{"T[n, 3, 5]"}}, {{"T[n]"}}}));
  ops.push_back(Transpose());
  ops.push_back(BroadcastTo());
  ops.push_back(Concatenate());
  return ops;
}

}  // namespace lathe::graph::ops
