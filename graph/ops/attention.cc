// Attention, and positions that are written into it.
#include <cmath>

#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

const ir::TensorType& TypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}

OpDef CausalMask() {
  return {
      .name = "nn.causal_mask",
      .doc =
          "data[..., i, j] where j <= i, and -infinity elsewhere: a query sees the keys up to its "
          "own place.",
      .inputs = {{"data", "scores [..., queries, keys]", kFloats}},
      .kind = OpKind::kBroadcast,  // it knows places
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 2, 16);
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            return One(
                c.shape(),
                [&](const Indices& i) {
                  return ir::MakeSelect(i[i.size() - 1] <= i[i.size() - 2], At(c.in(0), AsExprs(i)),
                                        te::MinValue(c.dtype()));
                },
                "y", te::kElementwise);
          },
      .examples = {{{"T[n, 5]"}}, {{"T[2, 3, n]"}}}};
}

TypeResult AttentionType(const TypeContext& c) {
  for (const size_t i : {0, 1, 2}) c.NeedRank(i, 4, 4);
  const Shape &q = c.shape(0), &k = c.shape(1), &v = c.shape(2);
  c.NeedExtent(1, 0, q[0], "the batch of `query`");
  c.NeedExtent(2, 0, q[0], "the batch of `query`");
  c.NeedExtent(2, 1, k[1], "the heads of `key`");
  c.NeedExtent(1, 3, q[3], "the features of `query`");
  c.NeedExtent(2, 2, k[2], "the places of `key`");
  if (!SameExtent(q[1], k[1])) {
    const int64_t *queries = ir::AsConstInt(q[1]), *keys = ir::AsConstInt(k[1]);
    if (queries == nullptr || keys == nullptr || *keys == 0 || *queries % *keys != 0) {
      c.FailArgument(1, "has heads that do not divide those of `query`",
                     "a divisor of " + ExtentText(q[1]), ExtentText(k[1]));
    }
  }
  if (ir::AsConstInt(q[3]) == nullptr && c.attrs.Float("scale") == 0) {
    c.FailAttr("scale", "must be given, because the features are not known", "a number",
               ExtentText(q[3]) + " features");
  }
  if (c.size() == 4) {
    const DataType mask = c.dtype(3);
    if (!mask.is_bool() && mask != c.dtype(0)) {
      c.FailArgument(3, "has the wrong element type", "bool or " + c.dtype(0).ToString(),
                     mask.ToString());
    }
    c.NeedRank(3, 0, 4);
    const Shape scores{q[0], q[1], q[2], k[2]};
    for (size_t d = 0; d < c.shape(3).size(); ++d) {
      if (ir::IsOne(c.shape(3)[d])) continue;
      c.NeedExtent(3, d, scores[4 - c.shape(3).size() + d], "of the scores, or 1");
    }
  }
  return TensorOf(c.dtype(0), {q[0], q[1], q[2], v[3]});
}

// The parts have kernels of their own, so products are products of matrices.
GraphVar ExpandAttention(Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
  const Shape q = TypeOf(x[0]).shape, k = TypeOf(x[1]).shape, v = TypeOf(x[2]).shape;
  const DataType dtype = TypeOf(x[0]).dtype;
  // Scores of 16-bit numbers are computed in float32.
  const DataType wide = dtype.bits() < 32 ? DataType::Float(32) : dtype;
  const auto reshape = [&](const GraphVar& of, const Shape& shape) {
    return b.Call("reshape", {of}, {{"newshape", ShapeAttr(shape)}});
  };
  const auto cast = [&](const GraphVar& of, DataType to) {
    return TypeOf(of).dtype == to ? of
                                  : b.Call("cast", {of}, {{"dtype", StringAttr(to.ToString())}});
  };
  // Queries that share a head of keys are rows of one matrix.
  const bool shares = !SameExtent(q[1], k[1]);
  const Shape rows{q[0], k[1], ir::FloorDivide(q[1], k[1]) * q[2]};
  const auto with = [](Shape shape, const Expr& last) {
    shape.push_back(last);
    return shape;
  };
  const GraphVar query = shares ? reshape(x[0], with(rows, q[3])) : x[0];
  GraphVar scores = b.Call(
      "matmul", {query, x[1]},
      {{"out_dtype", StringAttr(wide.ToString())}, {"transpose_b", BoolAttr(true)}}, "scores");
  if (shares) scores = reshape(scores, {q[0], q[1], q[2], k[2]});
  double scale = attrs.Float("scale");
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(*ir::AsConstInt(q[3])));
  scores = b.Call("multiply", {scores, b.Scalar(scale, wide)});
  if (x.size() == 4 && TypeOf(x[3]).dtype.is_bool()) {
    scores = b.Call("where", {x[3], scores, b.Scalar(-INFINITY, wide)});
  } else if (x.size() == 4) {
    scores = b.Call("add", {scores, cast(x[3], wide)});
  }
  if (attrs.Bool("is_causal")) scores = b.Call("nn.causal_mask", {scores});
  GraphVar weights = cast(b.Call("nn.softmax", {scores}), dtype);
  if (shares) weights = reshape(weights, with(rows, k[2]));
  const GraphVar y = b.Call("matmul", {weights, x[2]});
  return shares ? reshape(y, {q[0], q[1], q[2], v[3]}) : y;
}

OpDef AttentionOp() {
  return {
      .name = "nn.attention",
      .doc =
          "softmax(scale Q K^T + mask) V [Vaswani et al., 2017], as ONNX's Attention and PyTorch's "
          "scaled_dot_product_attention have it. Where there are fewer heads of keys than of "
          "queries, neighbouring queries share one. A place whose mask is false everywhere is NaN.",
      .inputs = {{"query", "Q [n, heads, queries, features]", kFloats},
                 {"key", "K [n, heads of keys, keys, features]", kFloats, 0},
                 {"value", "V [n, heads of keys, keys, features of values]", kFloats, 0},
                 {"mask",
                  "is added to the scores, or, of type bool, says which keys are seen; it is "
                  "broadcast to [n, heads, queries, keys]",
                  kFloats | kBool}},
      .attrs = {Number("scale", "the factor of the scores; 0: 1 / sqrt(features)", 0),
                Flag("is_causal", "does query i see the keys 0 to i only?", false)},
      .optional_inputs = 1,
      .type = AttentionType,
      .expand = ExpandAttention,
      .examples = {
          {{"T[n, 2, 5, 8]", "T[n, 2, 7, 8]", "T[n, 2, 7, 6]"}},
          {{"T[2, 4, n, 8]", "T[2, 2, n, 8]", "T[2, 2, n, 8]"}, {{"is_causal", BoolAttr(true)}}},
          {{"T[2, 2, 5, 8]", "T[2, 2, n, 8]", "T[2, 2, n, 8]", "T[5, n]"},
           {{"scale", FloatAttr(0.5)}}},
          {{"T[2, 2, 5, 8]", "T[2, 2, 7, 8]", "T[2, 2, 7, 8]", "bool[2, 1, 1, 7] in 1:1"}}}};
}

TypeResult RotaryType(const TypeContext& c) {
  c.NeedRank(0, 4, 4);
  const bool by_position = c.size() == 4;
  const Shape& x = c.shape(0);
  const int64_t turned = c.attrs.Int("rotary_dim");
  const int64_t* features = ir::AsConstInt(x[3]);
  if (features == nullptr) {
    c.FailArgument(0, "has a last extent that is not known", "a number", ExtentText(x[3]));
  }
  const int64_t d = turned == 0 ? *features : turned;
  if (d % 2 != 0 || d > *features) {
    c.FailAttr("rotary_dim", "does not fit", "an even number up to " + std::to_string(*features),
               std::to_string(d));
  }
  for (const size_t i : {1, 2}) {
    c.NeedRank(i, 2, by_position ? 2 : 3);
    const int rank = c.rank(i);
    c.NeedExtent(i, static_cast<size_t>(rank - 1), ir::Int(d / 2, DataType::Int(64)),
                 "the pairs of features");
    if (!by_position) {
      c.NeedExtent(i, static_cast<size_t>(rank - 2), x[2], "the places of `data`");
    }
    if (rank == 3) c.NeedExtent(i, 0, x[0], "the batch of `data`");
  }
  c.NeedRank(2, c.rank(1), c.rank(1));
  if (by_position) {
    c.NeedRank(3, 2, 2);
    c.NeedExtent(3, 0, x[0], "the batch of `data`");
    c.NeedExtent(3, 1, x[2], "the places of `data`");
    c.NeedExtent(2, 0, c.shape(1)[0], "the rows of `cos`");
  }
  return c.types[0];
}

Results ComputeRotary(const ComputeContext& c) {
  const Tensor& x = c.in(0);
  const bool interleaved = c.attrs.Bool("interleaved");
  const int64_t features = *ir::AsConstInt(x->shape()[3]);
  const int64_t d = c.attrs.Int("rotary_dim") == 0 ? features : c.attrs.Int("rotary_dim");
  return One(
      c.shape(),
      [&](const Indices& i) {
        // Features that are not turned read pair 0; what it gives is not used.
        Expr at = i[3];
        if (d != features) at = ir::MakeMin(at, ir::Int(d - 1));
        const Expr pair = interleaved ? ir::FloorDivide(at, 2) : ir::FloorModulo(at, d / 2);
        const Expr is_first =
            interleaved ? ir::Equal(ir::FloorModulo(at, 2), ir::Int(0)) : at < d / 2;
        const auto feature = [&](int64_t k) {
          const Expr place = interleaved ? pair * 2 + k : pair + k * (d / 2);
          return At(x, {i[0], i[1], i[2], place});
        };
        const auto table = [&](const Tensor& of) {
          if (c.size() == 4) {
            return At(of, {Index(At(c.in(3), {i[0], i[2]})), pair});
          }
          return of->ndim() == 2 ? At(of, {i[2], pair}) : At(of, {i[0], i[2], pair});
        };
        const Expr cos = table(c.in(1)), sin = table(c.in(2));
        const Expr turned = ir::MakeSelect(is_first, feature(0) * cos - feature(1) * sin,
                                           feature(0) * sin + feature(1) * cos);
        return d == features ? turned
                             : ir::MakeSelect(i[3] < ir::Int(d), turned, At(x, AsExprs(i)));
      },
      "y");
}

OpDef RotaryEmbedding() {
  return {
      .name = "nn.rotary_embedding",
      .doc =
          "Pairs of features, turned by angles that grow with the place [Su et al., 2021; ONNX's "
          "RotaryEmbedding]: (a cos - b sin, a sin + b cos). A pair is features i and i + d / 2 of "
          "the first d, or 2 i and 2 i + 1 if they are interleaved.",
      .inputs = {{"data", "[n, heads, places, features]", kFloats},
                 {"cos", "the cosines [places, d / 2]; without `positions` also [n, places, d / 2]",
                  kFloats, 0},
                 {"sin", "the sines; the same shape", kFloats, 0},
                 {"positions", "which rows of the tables the places have [n, places]", kIndices}},
      .attrs = {Flag("interleaved", "are pairs neighbours?", false),
                Int("rotary_dim", "d, how many features are turned; 0: all", 0, 0)},
      .kind = OpKind::kInjective,
      .optional_inputs = 1,
      .type = RotaryType,
      .compute = ComputeRotary,
      .examples = {
          {{"T[n, 2, 5, 8]", "T[5, 4]", "T[5, 4]"}},
          {{"T[2, 2, n, 8]", "T[2, n, 4]", "T[2, n, 4]"}, {{"interleaved", BoolAttr(true)}}},
          {{"T[2, 2, n, 8]", "T[9, 3]", "T[9, 3]", "int64[2, n] in 0:8"},
           {{"rotary_dim", IntAttr(6)}}}}};
}

}  // namespace

std::vector<OpDef> Attention() { return {CausalMask(), AttentionOp(), RotaryEmbedding()}; }

}  // namespace lathe::graph::ops
