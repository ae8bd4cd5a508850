// Tensors whose parts are repeated, reversed, put together along new dimensions.
#include <algorithm>

#include "arith/analyzer.h"
#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

const ir::TensorType& TensorTypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}

OpDef BroadcastToLike() {
  return {.name = "broadcast_to_like",
          .doc = "`data`, broadcast to the shape of the other input, which is not read.",
          .inputs = {{"data", "the input"}, {"broadcast_type", "has the shape of the result"}},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            const Shape &from = c.shape(0), &to = c.shape(1);
            c.NeedRank(0, 0, c.rank(1));
            for (size_t d = 0; d < from.size(); ++d) {
              if (ir::IsOne(from[d])) continue;
              c.NeedExtent(0, d, to[to.size() - from.size() + d], "of `broadcast_type`");
            }
            return TensorOf(c.dtype(0), to);
          },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs&) {
                return b.Call("broadcast_to", {x[0]},
                              {{"shape", ShapeAttr(TensorTypeOf(x[1]).shape)}});
              },
          .examples = {{{"T[3, 1]", "float32[n, 3, 4]"}}, {{"T[]", "float32[n]"}}}};
}

// A bound of a range of dimensions, as Python slices have it.
int64_t DimensionBound(const std::vector<int64_t>& bound, int64_t rank, int64_t fallback) {
  if (bound.empty()) return fallback;
  const int64_t from_front = bound[0] < 0 ? bound[0] + rank : bound[0];
  return std::clamp<int64_t>(from_front, 0, rank);
}

Shape ShapeLike(const Shape& from, const Shape& like, const Attrs& attrs) {
  const auto rank = static_cast<int64_t>(from.size());
  const auto like_rank = static_cast<int64_t>(like.size());
  const int64_t begin = DimensionBound(attrs.Ints("lhs_begin"), rank, 0);
  const int64_t end = std::max(begin, DimensionBound(attrs.Ints("lhs_end"), rank, rank));
  const int64_t like_begin = DimensionBound(attrs.Ints("rhs_begin"), like_rank, 0);
  const int64_t like_end =
      std::max(like_begin, DimensionBound(attrs.Ints("rhs_end"), like_rank, like_rank));
  Shape out(from.begin(), from.begin() + begin);
  out.insert(out.end(), like.begin() + like_begin, like.begin() + like_end);
  out.insert(out.end(), from.begin() + end, from.end());
  return out;
}

Expr ProductOf(const Shape& shape) {
  Expr product = ir::Int(1, DataType::Int(64));
  for (const Expr& extent : shape) product = product * extent;
  return arith::Analyzer().Simplify(product);
}

OpDef ReshapeLike() {
  return {.name = "reshape_like",
          .doc =
              "The elements of `data` in row-major order, with dimensions [lhs_begin, lhs_end) "
              "replaced by dimensions [rhs_begin, rhs_end) of the other input, which is not read.",
          .inputs = {{"data", "the input"}, {"shape_like", "has the new extents"}},
          .attrs = {Ints("lhs_begin", "the first dimension that is replaced", {0}),
                    Ints("lhs_end", "the one after the last; empty: all", {}),
                    Ints("rhs_begin", "the first new dimension", {0}),
                    Ints("rhs_end", "the one after the last; empty: all", {})},
          .kind = OpKind::kInjective,
          .is_view = true,
          .type = [](const TypeContext& c) -> TypeResult {
            for (const char* attr : {"lhs_begin", "lhs_end", "rhs_begin", "rhs_end"}) {
              const size_t found = c.attrs.Ints(attr).size();
              if (found > 1) {
                c.FailAttr(attr, "has several entries", "at most 1", std::to_string(found));
              }
            }
            Shape out = ShapeLike(c.shape(0), c.shape(1), c.attrs);
            const Expr before = ProductOf(c.shape(0)), after = ProductOf(out);
            if (!SameExtent(before, after)) {
              c.FailArgument(1, "gives another number of elements than `data` has",
                             ExtentText(before), ExtentText(after));
            }
            TypeResult result(TensorOf(c.dtype(0), std::move(out)));
            result.value = c.values[0];
            return result;
          },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
                Shape shape = ShapeLike(TensorTypeOf(x[0]).shape, TensorTypeOf(x[1]).shape, attrs);
                return b.Call("reshape", {x[0]}, {{"newshape", ShapeAttr(std::move(shape))}});
              },
          .examples = {{{"T[n, 6]", "float32[n, 2, 3]"}},
                       {{"T[n, 6, 4]", "float32[5, 2, 3]"},
                        {{"lhs_begin", IntAttr(1)},
                         {"lhs_end", IntAttr(-1)},
                         {"rhs_begin", IntAttr(1)},
                         {"rhs_end", IntAttr(3)}}}}};
}

OpDef Reverse() {
  return {.name = "reverse",
          .doc = "The same shape, with the elements in the reverse order along some dimensions.",
          .inputs = {{"data", "the input"}},
          .attrs = {Required(Ints("axis", "the dimensions", {}))},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const std::vector<int64_t> axes = AxesOf(c, "axis", c.rank(0));
            TypeResult result(c.types[0]);
            if (c.values[0] && c.rank(0) == 1) {
              result.value = c.values[0];
              if (!axes.empty()) std::ranges::reverse(*result.value);
            }
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      for (const int64_t axis : AxesOf(c, "axis", c.in(0)->ndim())) {
                        const auto d = static_cast<size_t>(axis);
                        at[d] = c.shape()[d] - 1 - at[d];
                      }
                      return At(c.in(0), at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3]"}, {{"axis", IntAttr(0)}}},
                       {{"T[2, n, 3]"}, {{"axis", IntsAttr({-1, 1})}}}}};
}

OpDef Repeat() {
  return {.name = "repeat",
          .doc =
              "Each element `repeats` times, one after the other, along one dimension, which "
              "becomes `repeats` times as long.",
          .inputs = {{"data", "the input"}},
          .attrs = {Required(Int("repeats", "how often", 1, 1, INT32_MAX)),
                    Required(Int("axis", "the dimension", 0))},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
            Shape out = c.shape(0);
            out[axis] = out[axis] * c.attrs.Int("repeats");
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      at[axis] = ir::FloorDivide(at[axis], c.attrs.Int("repeats"));
                      return At(c.in(0), at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3]"}, {{"repeats", IntAttr(2)}, {"axis", IntAttr(0)}}},
                       {{"T[n, 3]"}, {{"repeats", IntAttr(3)}, {"axis", IntAttr(-1)}}}}};
}

OpDef Tile() {
  return {.name = "tile",
          .doc =
              "The whole input reps[d] times along each dimension d. Where `reps` or the shape is "
              "shorter, ones stand in front (NumPy).",
          .inputs = {{"data", "the input"}},
          .attrs = {Extents("reps", "how often")},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            std::vector<Expr> reps = c.attrs.Shape("reps");
            const Expr one = ir::Int(1, DataType::Int(64));
            Shape out = c.shape(0);
            if (reps.size() < out.size()) reps.insert(reps.begin(), out.size() - reps.size(), one);
            if (out.size() < reps.size()) out.insert(out.begin(), reps.size() - out.size(), one);
            for (size_t d = 0; d < out.size(); ++d) {
              const int64_t* number = ir::AsConstInt(reps[d]);
              if (number != nullptr && *number < 0) {
                c.FailAttr("reps", "has a negative entry", "at least 0", std::to_string(*number));
              }
              out[d] = out[d] * reps[d];
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const te::Shape& from = c.in(0)->shape();
                const size_t extra = c.shape().size() - from.size();
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at;
                      for (size_t d = 0; d < from.size(); ++d) {
                        const Expr& place = i[extra + d];
                        if (SameExtent(from[d], c.shape()[extra + d])) {
                          at.push_back(place);
                        } else if (ir::IsOne(from[d]) || ir::IsZero(from[d])) {
                          at.push_back(ir::Int(0));
                        } else {
                          at.push_back(ir::FloorModulo(place, from[d]));
                        }
                      }
                      return At(c.in(0), at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3]"}, {{"reps", IntsAttr({2, 3})}}},
                       {{"T[n]"}, {{"reps", IntsAttr({2, 1, 3})}}},
                       {{"T[2, 1, n]"}, {{"reps", IntsAttr({4, 1})}}}}};
}

OpDef Stack() {
  return {.name = "stack",
          .doc = "Tensors of one shape, put together along a new dimension.",
          .inputs = {{"data", "the parts", kAnyType, 0}},
          .attrs = {Int("axis", "where the new dimension is", 0)},
          .kind = OpKind::kInjective,
          .variadic = true,
          .type = [](const TypeContext& c) -> TypeResult {
            std::optional<std::vector<Expr>> value = std::vector<Expr>();
            for (size_t i = 0; i < c.size(); ++i) {
              c.NeedRank(i, c.rank(0), c.rank(0));
              for (size_t d = 0; d < c.shape(i).size(); ++d) {
                c.NeedExtent(i, d, c.shape(0)[d], "of the first input");
              }
              if (value && c.rank(0) == 0 && c.values[i] && i < 64) {
                value->push_back((*c.values[i])[0]);
              } else {
                value.reset();
              }
            }
            Shape out = c.shape(0);
            out.insert(out.begin() + AxisOf(c, "axis", c.rank(0) + 1),
                       ir::Int(static_cast<int64_t>(c.size()), DataType::Int(64)));
            TypeResult result(TensorOf(c.dtype(0), std::move(out)));
            result.value = std::move(value);
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim() + 1));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      const Expr part = at[axis];
                      at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
                      Expr y;
                      for (size_t k = c.size(); k-- > 0;) {
                        const Expr element = At(c.in(k), at);
                        const Expr here =
                            ir::Equal(part, Num(static_cast<int64_t>(k), part->dtype));
                        y = y ? ir::IfThenElse(here, element, y) : element;
                      }
                      return y;
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 3]", "T[n, 3]", "T[n, 3]"}},
                       {{"T[n, 3]", "T[n, 3]"}, {{"axis", IntAttr(-1)}}},
                       {{"T[]", "T[]"}}}};
}

OpDef Meshgrid() {
  return {
      .name = "meshgrid",
      .doc =
          "For inputs of n, m, ... elements as many tensors [n, m, ...]: number k has along "
          "dimension k the elements of input k.",
      .inputs = {{"data", "the coordinates, of rank 1 or 0", kAnyType, 0}},
      .attrs = {Choice("indexing", "\"xy\": the first two dimensions are exchanged", {"ij", "xy"})},
      .kind = OpKind::kOpaque,
      .variadic = true,
      .type = [](const TypeContext& c) -> TypeResult {
        Shape out;
        for (size_t i = 0; i < c.size(); ++i) {
          c.NeedRank(i, 0, 1);
          out.push_back(c.rank(i) == 0 ? ir::Int(1, DataType::Int(64)) : c.shape(i)[0]);
        }
        if (c.attrs.String("indexing") == "xy" && out.size() > 1) std::swap(out[0], out[1]);
        return TupleOf(std::vector<ir::NodeRef>(c.size(), TensorOf(c.dtype(0), out)));
      },
      .compute =
          [](const ComputeContext& c) {
            Results results;
            const bool swapped = c.attrs.String("indexing") == "xy" && c.size() > 1;
            for (size_t k = 0; k < c.size(); ++k) {
              const size_t along = swapped && k < 2 ? 1 - k : k;
              results.push_back(One(
                  c.shape(),
                  [&](const Indices& i) {
                    return c.in(k)->ndim() == 0 ? At(c.in(k), {}) : At(c.in(k), {i[along]});
                  },
                  "y" + std::to_string(k), te::kBroadcast)[0]);
            }
            return results;
          },
      .examples = {{{"T[n]", "T[3]"}},
                   {{"float32[n]", "float32[3]", "float32[2]"}, {{"indexing", StringAttr("xy")}}},
                   {{"float32[n]", "float32[]"}}}};
}

}  // namespace

std::vector<OpDef> Arrangements() {
  return {BroadcastToLike(), ReshapeLike(), Reverse(), Repeat(), Tile(), Stack(), Meshgrid()};
}

}  // namespace lathe::graph::ops
