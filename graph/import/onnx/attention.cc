#include "graph/import/onnx/attention.h"

#include <algorithm>
#include <cmath>

#include "graph/import/onnx/operators.h"
#include "graph/sizes.h"

namespace lathe::graph::onnx {

GraphVar SplitHeads(const NodeContext& n, const GraphVar& x, int64_t heads) {
  const std::vector<Expr> shape = NodeContext::ShapeOf(x);
  const int64_t* width = shape.size() == 3 ? ir::AsConstInt(shape[2]) : nullptr;
  if (width == nullptr || heads < 1 || *width % heads != 0) {
    n.Fail("has a tensor that is not made of its heads",
           "[batch, places, a multiple of " + std::to_string(heads) + "]", TypeText(x->type));
  }
  const GraphVar split = n.Reshape(x, {shape[0], shape[1], Int64(heads), Int64(*width / heads)});
  return n.Transpose(split, {0, 2, 1, 3});
}

GraphVar JoinHeads(const NodeContext& n, const GraphVar& x) {
  const std::vector<Expr> shape = NodeContext::ShapeOf(x);
  return n.Reshape(n.Transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

GraphVar PlacesFrom(const NodeContext& n, const Expr& begin, const Expr& end, int64_t behind) {
  const GraphVar places = n.Call(
      "arange", {},
      {{"start", ShapeAttr({begin})}, {"stop", ShapeAttr({end})}, {"dtype", StringAttr("int64")}});
  return n.ExpandDims(places, 1, behind);
}

namespace {

// Q K^T, in numbers of type `wide`. Queries that share a head of keys are rows of one matrix.
GraphVar ScoresOf(const NodeContext& n, const AttentionInputs& in, DataType wide) {
  const std::vector<Expr> q = NodeContext::ShapeOf(in.query), k = NodeContext::ShapeOf(in.key);
  const bool shares = !SameExtent(q[1], k[1]);
  const Expr rows = ir::FloorDivide(q[1], k[1]) * q[2];
  const GraphVar query = shares ? n.Reshape(in.query, {q[0], k[1], rows, q[3]}) : in.query;
  const GraphVar scores = n.Call("matmul", {n.Cast(query, wide), n.Cast(in.key, wide)},
                                 {{"transpose_b", BoolAttr(true)}});
  return shares ? n.Reshape(scores, {q[0], q[1], q[2], k[2]}) : scores;
}

GraphVar WeightedValues(const NodeContext& n, const AttentionInputs& in, const GraphVar& weights) {
  const std::vector<Expr> w = NodeContext::ShapeOf(weights), v = NodeContext::ShapeOf(in.value);
  if (SameExtent(w[1], v[1])) return n.Call("matmul", {weights, in.value});
  const Expr rows = ir::FloorDivide(w[1], v[1]) * w[2];
  const GraphVar product =
      n.Call("matmul", {n.Reshape(weights, {w[0], v[1], rows, w[3]}), in.value});
  return n.Reshape(product, {w[0], w[1], w[2], v[3]});
}

// Softmax with one more score for each head, which takes its share and is dropped.
GraphVar SoftmaxWithSink(const NodeContext& n, const GraphVar& scores, const GraphVar& sink) {
  std::vector<Expr> column = NodeContext::ShapeOf(scores);
  const Expr keys = column[3];
  column[3] = Int64(1);
  const GraphVar own = n.Reshape(n.Cast(sink, NodeContext::DTypeOf(scores)),
                                 {Int64(1), column[1], Int64(1), Int64(1)});
  const GraphVar longer =
      n.Call("concatenate", {scores, n.BroadcastTo(own, column)}, {{"axis", IntAttr(3)}});
  return n.Slice(n.Call("nn.softmax", {longer}), 3, Int64(0), keys);
}

}  // namespace

AttentionSteps Attend(const NodeContext& n, const AttentionInputs& in) {
  const DataType dtype = NodeContext::DTypeOf(in.query);
  double scale = in.scale;
  if (scale == 0) {
    const int64_t* features = ir::AsConstInt(NodeContext::ShapeOf(in.query)[3]);
    if (features == nullptr || *features < 1) {
      n.Fail("has no scale", "a number, or queries of a known number of features",
             TypeText(in.query->type));
    }
    scale = 1 / std::sqrt(static_cast<double>(*features));
  }
  const bool is_plain = !in.seen && !in.sink && in.softcap == 0 && !in.zero_if_blind &&
                        !in.wants_steps && in.least_bits <= 32;
  if (is_plain) {
    std::vector<GraphVar> args{in.query, in.key, in.value};
    if (in.bias) args.push_back(n.Cast(in.bias, dtype));
    return {.result = n.Call("nn.attention", args, {{"scale", FloatAttr(scale)}})};
  }
  const DataType wide = DataType::Float(std::max({32, in.least_bits, dtype.bits()}));
  AttentionSteps steps;
  steps.scores = n.Mul(ScoresOf(n, in, wide), n.Scalar(scale, wide));
  steps.capped = steps.scores;
  if (in.softcap != 0) {
    const GraphVar cap = n.Scalar(in.softcap, wide);
    steps.capped = n.Mul(n.Call("tanh", {n.Div(steps.scores, cap)}), cap);
  }
  steps.biased = in.bias ? n.Add(steps.capped, n.Cast(in.bias, wide)) : steps.capped;
  const GraphVar nothing = n.Scalar(-INFINITY, wide);
  if (in.seen) steps.biased = n.Call("where", {in.seen, steps.biased, nothing});
  steps.weights =
      in.sink ? SoftmaxWithSink(n, steps.biased, in.sink) : n.Call("nn.softmax", {steps.biased});
  if (in.zero_if_blind) {
    const GraphVar most =
        n.Call("max", {steps.biased}, {{"axis", IntsAttr({3})}, {"keepdims", BoolAttr(true)}});
    const GraphVar is_blind = n.Call("equal", {most, nothing});
    steps.weights = n.Call("where", {is_blind, n.Scalar(0, wide), steps.weights});
  }
  const DataType values = NodeContext::DTypeOf(in.value);
  steps.result = n.Cast(WeightedValues(n, in, n.Cast(steps.weights, values)), dtype);
  for (GraphVar* step : {&steps.scores, &steps.capped, &steps.biased, &steps.weights}) {
    *step = in.wants_steps ? n.Cast(*step, dtype) : GraphVar();
  }
  return steps;
}

GraphVar Rotate(const NodeContext& n, const GraphVar& x, const GraphVar& cos, const GraphVar& sin,
                const GraphVar& positions, bool interleaved, int64_t rotary_dim) {
  std::vector<GraphVar> args{x, cos, sin};
  if (positions) args.push_back(positions);
  return n.Call("nn.rotary_embedding", args,
                {{"interleaved", BoolAttr(interleaved)}, {"rotary_dim", IntAttr(rotary_dim)}});
}

namespace {

// The mask of ONNX's Attention with as many keys as there are: those that it lacks are not seen.
GraphVar WholeMask(const NodeContext& n, const GraphVar& mask, const Expr& keys) {
  std::vector<Expr> shape = NodeContext::ShapeOf(mask);
  if (shape.empty()) return mask;
  const int64_t *own = ir::AsConstInt(shape.back()), *all = ir::AsConstInt(keys);
  if (own == nullptr || all == nullptr || *own >= *all) return mask;
  shape.back() = Int64(*all - *own);
  const DataType dtype = NodeContext::DTypeOf(mask);
  const GraphVar rest =
      dtype.is_bool()
          ? n.Call("zeros", {}, {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr("bool")}})
          : n.Call("full", {n.Scalar(-INFINITY, dtype)}, {{"shape", ShapeAttr(shape)}});
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  return n.Call("concatenate", {mask, rest}, {{"axis", IntAttr(last)}});
}

GraphVar Both(const NodeContext& n, const GraphVar& a, const GraphVar& b) {
  return a && b ? n.Call("logical_and", {a, b}) : a ? a : b;
}

// Which keys a query sees by its place: those up to its own, and those of a window around it.
// `past` keys are before the first query.
GraphVar SeenByPlace(NodeContext& n, const Expr& past, const Expr& queries, const Expr& keys) {
  const bool is_causal = n.Int("is_causal", 0) != 0;
  const int64_t left = n.Int("left_window_size", -1), right = n.Int("right_window_size", -1);
  GraphVar seen;
  const GraphVar key = PlacesFrom(n, Int64(0), keys);
  if (n.Has(6)) {
    const GraphVar count = n.Cast(n.In(6), DataType::Int(64));  // of keys that are no padding
    const GraphVar end =
        n.Reshape(count, {NodeContext::ShapeOf(count)[0], Int64(1), Int64(1), Int64(1)});
    seen = n.Call("less", {key, end});
    if (!is_causal && left < 0 && right < 0) return seen;
    const GraphVar query = n.Add(end, PlacesFrom(n, Int64(0) - queries, Int64(0), 1));
    if (is_causal) seen = Both(n, seen, n.Call("less_equal", {key, query}));
    const GraphVar distance = n.Sub(key, query);
    const auto number = [&](int64_t value) {
      return n.Scalar(static_cast<double>(value), DataType::Int(64));
    };
    if (left >= 0) seen = Both(n, seen, n.Call("greater_equal", {distance, number(-left)}));
    if (right >= 0) seen = Both(n, seen, n.Call("less_equal", {distance, number(right)}));
    return seen;
  }
  const auto query = [&](int64_t by) {
    return PlacesFrom(n, past + Int64(by), past + queries + Int64(by), 1);
  };
  if (is_causal) seen = n.Call("less_equal", {key, query(0)});
  if (left >= 0) seen = Both(n, seen, n.Call("greater_equal", {key, query(-left)}));
  if (right >= 0) seen = Both(n, seen, n.Call("less_equal", {key, query(right)}));
  return seen;
}

// From opset 23 on.
Results Attention(NodeContext& n) {
  const bool is_flat = NodeContext::RankOf(n.In(0)) == 3;
  const int64_t heads = n.Int("q_num_heads", 0), key_heads = n.Int("kv_num_heads", 0);
  const auto with_heads = [&](size_t i, int64_t count) {
    return is_flat ? SplitHeads(n, n.In(i), count) : n.In(i);
  };
  AttentionInputs in{.query = with_heads(0, heads),
                     .key = with_heads(1, key_heads),
                     .value = with_heads(2, key_heads)};
  Expr past = Int64(0);
  if (n.Has(4)) {
    past = NodeContext::ShapeOf(n.In(4))[2];
    in.key = n.Call("concatenate", {n.In(4), in.key}, {{"axis", IntAttr(2)}});
    in.value = n.Call("concatenate", {n.In(5), in.value}, {{"axis", IntAttr(2)}});
  }
  const Expr queries = NodeContext::ShapeOf(in.query)[2], keys = NodeContext::ShapeOf(in.key)[2];
  in.scale = n.Float("scale", 0);
  in.softcap = n.Float("softcap", 0);
  in.seen = SeenByPlace(n, past, queries, keys);
  if (n.Has(3)) {
    const GraphVar mask = WholeMask(n, n.In(3), keys);
    if (NodeContext::DTypeOf(mask).is_bool()) {
      in.seen = Both(n, in.seen, mask);
    } else {
      in.bias = mask;
    }
  }
  if (const std::optional<DataType> precise =
          DTypeOf(static_cast<int32_t>(n.Int("softmax_precision", kFloat)))) {
    in.least_bits = precise->bits();
  }
  in.zero_if_blind = n.Has(3) || n.Has(6);
  in.wants_steps = n.Wants(3);
  const int64_t mode = n.Int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    n.FailAttribute("qk_matmul_output_mode", "is out of range", "0 to 3", std::to_string(mode));
  }
  const AttentionSteps steps = Attend(n, in);
  const GraphVar kept[] = {steps.scores, steps.capped, steps.biased, steps.weights};
  Results results{is_flat ? JoinHeads(n, steps.result) : steps.result, in.key, in.value};
  if (in.wants_steps) results.emplace_back(kept[mode]);
  return results;
}

Results RotaryEmbedding(NodeContext& n) {
  const GraphVar given = n.In(0);
  const bool is_flat = NodeContext::RankOf(given) == 3;
  const int64_t heads = n.Int("num_heads", 0);
  const GraphVar x = is_flat ? SplitHeads(n, given, heads) : given;
  const GraphVar y = Rotate(n, x, n.In(1), n.In(2), n.Has(3) ? n.In(3) : GraphVar(),
                            n.Int("interleaved", 0) != 0, n.Int("rotary_embedding_dim", 0));
  return {is_flat ? JoinHeads(n, y) : y};
}

// New rows of a cache, each batch from a place of its own.
Results TensorScatter(NodeContext& n) {
  const GraphVar cache = n.In(0), update = n.In(1);
  const int64_t rank = NodeContext::RankOf(cache);
  const int64_t axis = n.Axis(n.Int("axis", -2), rank);
  const std::string mode = n.String("mode", "linear");
  if (axis == 0) n.FailAttribute("axis", "is out of range", "a dimension behind the batch", "0");
  if (mode != "linear" && mode != "circular") {
    n.FailAttribute("mode", "is out of range", "linear or circular", mode);
  }
  const auto at = static_cast<size_t>(axis);
  GraphVar places = PlacesFrom(n, Int64(0), NodeContext::ShapeOf(update)[at], rank - 1 - axis);
  if (n.Has(2)) {
    const GraphVar begin = n.Cast(n.In(2), DataType::Int(64));
    places = n.Add(n.ExpandDims(begin, 1, rank - 1), places);
  }
  if (mode == "circular") {
    const GraphVar most = ExtentAsTensor(n, NodeContext::ShapeOf(cache)[at], DataType::Int(64));
    places = n.Call("floor_mod", {places, most});
  }
  return {n.Call("scatter_elements",
                 {cache, n.BroadcastTo(places, NodeContext::ShapeOf(update)), update},
                 {{"axis", IntAttr(axis)}})};
}

}  // namespace

std::vector<Operator> Attentions() {
  return {
      {"Attention", Attention},
      {"RotaryEmbedding", RotaryEmbedding},
      {"TensorScatter", TensorScatter},
  };
}

}  // namespace lathe::graph::onnx
