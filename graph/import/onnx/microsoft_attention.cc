// Attention as com.microsoft has it: with projections, caches and masks inside.
#include "graph/import/onnx/attention.h"
#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/sizes.h"

namespace lathe::graph::onnx {
namespace {

constexpr DataType kWide = DataType::Int(64);

GraphVar Joined(const NodeContext& n, const GraphVar& a, const GraphVar& b, int64_t axis) {
  return n.Call("concatenate", {a, b}, {{"axis", IntAttr(axis)}});
}

// Refuses an attribute that is not 0.
void NeedZero(NodeContext& n, const char* attribute) {
  const int64_t value = n.Int(attribute, 0);
  if (value != 0) n.FailAttribute(attribute, "is not supported", "0", std::to_string(value));
}

void NeedAbsent(const NodeContext& n, size_t input, const char* what) {
  if (!n.Has(input)) return;
  n.Fail("has input " + std::to_string(input) + ", which is not supported here", "nothing", what);
}

struct Scores {
  Expr batch, queries, keys;
  Expr past;  // keys before the first query
};

// The keys that a mask of 0 and 1, or ends of the batch's sequences, leaves; bool, broadcast to
// [batch, heads, queries, keys].
GraphVar SeenIn(NodeContext& n, const GraphVar& mask, const Scores& s) {
  const std::vector<Expr> shape = NodeContext::ShapeOf(mask);
  const DataType dtype = NodeContext::DTypeOf(mask);
  const Expr one = Int64(1);
  if (shape.size() == 1) {
    const GraphVar key = n.Cast(PlacesFrom(n, Int64(0), s.keys), dtype);
    const auto part = [&](const Expr& begin) {
      const GraphVar some = n.Slice(mask, 0, begin, begin + s.batch);
      return n.Reshape(some, {s.batch, one, one, one});
    };
    if (SameExtent(shape[0], s.batch)) return n.Call("less", {key, part(Int64(0))});
    if (SameExtent(shape[0], s.batch * 2)) {
      return n.Call("logical_and", {n.Call("less", {key, part(Int64(0))}),
                                    n.Call("greater_equal", {key, part(s.batch)})});
    }
    n.Fail("has a wrong mask", "an end, or an end and a begin for each sequence of the batch",
           TypeText(mask->type));
  }
  GraphVar whole;
  if (shape.size() == 2) {
    whole = n.Reshape(mask, {shape[0], one, one, shape[1]});
  } else if (shape.size() == 3) {
    whole = n.Reshape(mask, {shape[0], one, shape[1], shape[2]});
  } else if (shape.size() == 4) {
    whole = n.Slice(n.Slice(mask, 2, s.past, s.past + s.queries), 3, Int64(0), s.keys);
  } else {
    n.Fail("has a wrong mask", "rank 1 to 4", TypeText(mask->type));
  }
  return n.Call("greater", {whole, n.Scalar(0, dtype)});
}

// What is added to the scores: the bias, and mask_filter_value where the mask hides a key.
GraphVar BiasOf(NodeContext& n, size_t mask_input, size_t bias_input, const Scores& s) {
  const double hidden = n.Float("mask_filter_value", -10000);
  GraphVar bias = n.Has(bias_input) ? n.In(bias_input) : GraphVar();
  if (!n.Has(mask_input)) return bias;
  const DataType real = DataType::Float(32);
  const GraphVar mask =
      n.Call("where", {SeenIn(n, n.In(mask_input), s), n.Scalar(0, real), n.Scalar(hidden, real)});
  return bias ? n.Add(n.Cast(bias, real), mask) : mask;
}

GraphVar CausalMask(const NodeContext& n, const Scores& s) {
  const GraphVar query = PlacesFrom(n, s.past, s.past + s.queries, 1);
  return n.Call("less_equal", {PlacesFrom(n, Int64(0), s.keys), query});
}

// Where the inputs of an operator with projected queries, keys and values are.
struct Inputs {
  size_t mask, past, bias;
};

// Attention of `projected` [batch, places, Q K V] to itself.
Results SelfAttention(NodeContext& n, const GraphVar& projected, const Inputs& inputs) {
  NeedZero(n, "do_rotary");
  NeedZero(n, "past_present_share_buffer");
  n.Ignore({"rotary_embedding_dim"});  // without do_rotary
  const int64_t heads = n.Int("num_heads", 0);
  const int64_t* all = ir::AsConstInt(NodeContext::ShapeOf(projected)[2]);
  std::vector<int64_t> sizes = n.Ints("qkv_hidden_sizes");
  if (all == nullptr) n.Fail("has weights of an unknown shape");
  if (sizes.empty()) sizes.assign(3, *all / 3);
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != *all) {
    n.Fail("has weights that are not made of Q, K and V", "3 sizes whose sum is theirs",
           std::to_string(*all));
  }
  const auto part = [&](int64_t begin, int64_t size) {
    return SplitHeads(n, n.Slice(projected, 2, Int64(begin), Int64(begin + size)), heads);
  };
  AttentionInputs in{.query = part(0, sizes[0]),
                     .key = part(sizes[0], sizes[1]),
                     .value = part(sizes[0] + sizes[1], sizes[2])};
  Scores s{NodeContext::ShapeOf(projected)[0], NodeContext::ShapeOf(projected)[1], {}, Int64(0)};
  if (n.Has(inputs.past)) {
    const GraphVar past = n.In(inputs.past);
    const auto half = [&](int64_t at) {
      return n.Squeeze(n.Slice(past, 0, Int64(at), Int64(at + 1)), {0});
    };
    in.key = Joined(n, half(0), in.key, 2);
    in.value = Joined(n, half(1), in.value, 2);
    s.past = NodeContext::ShapeOf(past)[3];
  }
  s.keys = NodeContext::ShapeOf(in.key)[2];
  in.scale = n.Float("scale", 0);
  in.bias = BiasOf(n, inputs.mask, inputs.bias, s);
  if (n.Int("unidirectional", 0) != 0) in.seen = CausalMask(n, s);
  Results results{JoinHeads(n, Attend(n, in).result)};
  if (n.Wants(1)) results.emplace_back(n.Call("stack", {in.key, in.value}, {{"axis", IntAttr(0)}}));
  return results;
}

Results Attention(NodeContext& n) {
  NeedAbsent(n, 6, "past_sequence_length");
  GraphVar projected = n.Call("matmul", {n.In(0), n.In(1)});
  if (n.Has(2)) projected = n.Add(projected, n.In(2));
  return SelfAttention(n, projected, {.mask = 3, .past = 4, .bias = 5});
}

// The projections are products of whole numbers.
Results QAttention(NodeContext& n) {
  const DataType real = DataType::Float(32);
  const GraphVar sum = n.Call("matmul", {WithoutZero(n, 0, 6, -2), WithoutZero(n, 1, 7, -1)});
  const GraphVar scale = n.Mul(Rank0IfOne(n, n.In(3)), Rank0IfOne(n, n.In(4)));
  const GraphVar projected = n.Add(n.Mul(n.Cast(sum, real), scale), n.In(2));
  return SelfAttention(n, projected, {.mask = 5, .past = 8, .bias = 9});
}

// Part `at` of [batch, places, heads, parts, features], as [batch, places, heads * features].
GraphVar PartOf(NodeContext& n, const GraphVar& packed, int64_t at) {
  const std::vector<Expr> shape = NodeContext::ShapeOf(packed);
  const GraphVar part = n.Squeeze(n.Slice(packed, 3, Int64(at), Int64(at + 1)), {3});
  return n.Reshape(part, {shape[0], shape[1], shape[2] * shape[4]});
}

// Queries, keys and values [batch, heads, places, features] of MultiHeadAttention's inputs.
AttentionInputs MultiHeadInputs(NodeContext& n, int64_t heads) {
  GraphVar q = n.In(0), k, v;
  if (NodeContext::RankOf(q) == 5) {
    k = PartOf(n, q, 1);
    v = PartOf(n, q, 2);
    q = PartOf(n, q, 0);
  } else if (NodeContext::RankOf(n.In(1)) == 5) {
    k = PartOf(n, n.In(1), 0);
    v = PartOf(n, n.In(1), 1);
  } else {
    k = n.In(1);
    v = n.In(2);
  }
  // Keys and values of an encoder, which are made once, have heads already, and no bias.
  const bool has_heads = NodeContext::RankOf(k) == 4;
  if (n.Has(3)) {
    const GraphVar bias = n.In(3);
    Expr begin = Int64(0);
    const auto add = [&](const GraphVar& x) {
      const Expr end = begin + NodeContext::ShapeOf(x)[2];
      const GraphVar own = n.Slice(bias, 0, begin, end);
      begin = end;
      return n.Add(x, own);
    };
    q = add(q);
    if (!has_heads) {
      k = add(k);
      v = add(v);
    }
  }
  return {.query = SplitHeads(n, q, heads),
          .key = has_heads ? k : SplitHeads(n, k, heads),
          .value = has_heads ? v : SplitHeads(n, v, heads)};
}

Results MultiHeadAttention(NodeContext& n) {
  NeedAbsent(n, 8, "past_sequence_length");
  NeedAbsent(n, 9, "cache_indirection");
  const int64_t heads = n.Int("num_heads", 0);
  AttentionInputs in = MultiHeadInputs(n, heads);
  Scores s{NodeContext::ShapeOf(in.query)[0], NodeContext::ShapeOf(in.query)[2], {}, Int64(0)};
  if (n.Has(6)) {
    s.past = NodeContext::ShapeOf(n.In(6))[2];
    in.key = Joined(n, n.In(6), in.key, 2);
    in.value = Joined(n, n.In(7), in.value, 2);
  }
  s.keys = NodeContext::ShapeOf(in.key)[2];
  in.scale = n.Float("scale", 0);
  in.bias = BiasOf(n, 4, 5, s);
  if (n.Int("unidirectional", 0) != 0) in.seen = CausalMask(n, s);
  return {JoinHeads(n, Attend(n, in).result), in.key, in.value};
}

// -- GroupQueryAttention.

// A cache [batch, heads, past, features], with new rows behind those that each sequence has.
struct Cache {
  GraphVar begin;  // [batch, 1, 1, 1]: how many rows a sequence has before
  Expr past, fresh, total;
};

GraphVar Extended(NodeContext& n, const Cache& c, const GraphVar& cache, const GraphVar& fresh) {
  const GraphVar all = Joined(n, cache, fresh, 2);
  std::vector<Expr> shape = NodeContext::ShapeOf(all);
  shape[2] = c.total;
  const GraphVar place = PlacesFrom(n, Int64(0), c.total, 1);
  const GraphVar is_fresh =
      n.Call("logical_and",
             {n.Call("greater_equal", {place, c.begin}),
              n.Call("less", {PlacesFrom(n, Int64(0) - c.fresh, c.total - c.fresh, 1), c.begin})});
  const GraphVar behind = n.Sub(PlacesFrom(n, c.past, c.past + c.total, 1), c.begin);
  const GraphVar from = n.Call("where", {is_fresh, behind, place});
  return n.Call("gather", {all, n.BroadcastTo(from, shape)}, {{"axis", IntAttr(2)}});
}

void CheckGroupQuery(NodeContext& n) {
  constexpr std::pair<size_t, const char*> kInputs[] = {{12, "k_scale"},
                                                        {13, "v_scale"},
                                                        {14, "q_norm_weight"},
                                                        {15, "k_norm_weight"},
                                                        {16, "query_seqlens"}};
  for (const auto& [input, what] : kInputs) NeedAbsent(n, input, what);
  NeedZero(n, "qk_output");
  NeedZero(n, "sliding_window_cache");
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    const std::string type = n.String(name, "NONE");
    if (type != "NONE") n.FailAttribute(name, "is not supported", "NONE", type);
  }
  n.Ignore({"kv_cache_bit_width", "qk_norm_epsilon", "q_norm_epsilon", "k_norm_epsilon"});
}

// Queries, keys and values, which may be one tensor [batch, places, Q K V].
AttentionInputs GroupQueryInputs(NodeContext& n) {
  const int64_t heads = n.Int("num_heads", 0), key_heads = n.Int("kv_num_heads", 0);
  const GraphVar q = n.In(0);
  if (n.Has(1)) {
    return {.query = SplitHeads(n, q, heads),
            .key = SplitHeads(n, n.In(1), key_heads),
            .value = SplitHeads(n, n.In(2), key_heads)};
  }
  const GraphVar all = SplitHeads(n, q, heads + 2 * key_heads);
  const auto part = [&](int64_t begin, int64_t count) {
    return n.Slice(all, 1, Int64(begin), Int64(begin + count));
  };
  return {.query = part(0, heads),
          .key = part(heads, key_heads),
          .value = part(heads + key_heads, key_heads)};
}

// Which keys each query sees: those up to its own place, with a window those near to it.
GraphVar GroupQuerySeen(NodeContext& n, const GraphVar& begin, const Expr& queries,
                        const Expr& keys) {
  const int64_t window = n.Int("local_window_size", -1);
  const bool is_causal = n.Int("causal", 1) != 0;
  const GraphVar key = PlacesFrom(n, Int64(0), keys);
  const auto query = [&](int64_t by) {
    return n.Add(begin, PlacesFrom(n, Int64(by), queries + Int64(by), 1));
  };
  // The last query has the last key.
  if (!is_causal) {
    return n.Call("less_equal", {key, n.Add(begin, ExtentAsTensor(n, queries - Int64(1), kWide))});
  }
  const GraphVar seen = n.Call("less_equal", {key, query(0)});
  if (window < 0) return seen;
  return n.Call("logical_and", {seen, n.Call("greater", {key, query(-window)})});
}

Results GroupQueryAttention(NodeContext& n) {
  CheckGroupQuery(n);
  AttentionInputs in = GroupQueryInputs(n);
  const Expr batch = NodeContext::ShapeOf(in.query)[0], queries = NodeContext::ShapeOf(in.query)[2];
  const Expr one = Int64(1);
  // Input 5 says how many keys a sequence has after this step, less one.
  const GraphVar last = n.Sub(n.Cast(n.In(5), kWide), ExtentAsTensor(n, queries - one, kWide));
  const GraphVar begin =
      n.Reshape(n.Call("maximum", {last, n.Scalar(0, kWide)}), {batch, one, one, one});
  const bool interleaved = n.Int("rotary_interleaved", 0) != 0;
  if (n.Int("do_rotary", 0) != 0) {
    const GraphVar own = n.Add(n.Reshape(begin, {batch, one}), PlacesFrom(n, Int64(0), queries));
    const GraphVar positions = n.Has(9) ? n.In(9) : own;
    const int64_t* pairs = ir::AsConstInt(NodeContext::ShapeOf(n.In(7)).back());
    const int64_t turned = pairs == nullptr ? 0 : 2 * *pairs;
    in.query = Rotate(n, in.query, n.In(7), n.In(8), positions, interleaved, turned);
    in.key = Rotate(n, in.key, n.In(7), n.In(8), positions, interleaved, turned);
  }
  if (n.Has(3)) {
    const Expr past = NodeContext::ShapeOf(n.In(3))[2];
    const Expr total = n.Extents(6, "total_sequence_length").at(0);
    const Cache cache{begin, past, queries, ir::MakeMax(past, total)};
    in.key = Extended(n, cache, n.In(3), in.key);
    in.value = Extended(n, cache, n.In(4), in.value);
  }
  Results results{{}, in.key, in.value};
  if (n.Has(10)) {
    in.bias = n.In(10);
    // A cache may have room behind the keys that the bias is for.
    const Expr keys = NodeContext::ShapeOf(in.bias)[3];
    if (!SameExtent(keys, NodeContext::ShapeOf(in.key)[2])) {
      in.key = n.Slice(in.key, 2, Int64(0), keys);
      in.value = n.Slice(in.value, 2, Int64(0), keys);
    }
  }
  in.seen = GroupQuerySeen(n, begin, queries, NodeContext::ShapeOf(in.key)[2]);
  in.scale = n.Float("scale", 0);
  in.softcap = n.Float("softcap", 0);
  if (n.Has(11)) {
    in.sink = n.In(11);
  } else if (n.Int("smooth_softmax", 0) > 0) {
    in.sink = n.Call("zeros", {},
                     {{"shape", ShapeAttr({NodeContext::ShapeOf(in.query)[1]})},
                      {"dtype", StringAttr("float32")}});
  }
  results[0] = JoinHeads(n, Attend(n, in).result);
  return results;
}

// One position, of the first place, or one for each.
Results RotaryEmbedding(NodeContext& n) {
  NeedZero(n, "is_packed_batching");
  const double scale = n.Float("scale", 1);
  if (scale != 1) n.FailAttribute("scale", "is not supported", "1", std::to_string(scale));
  const GraphVar given = n.In(0);
  const bool is_flat = NodeContext::RankOf(given) == 3;
  const int64_t turned = n.Int("rotary_embedding_dim", 0);
  int64_t heads = n.Int("num_heads", 0);
  if (is_flat && turned == 0) {
    const int64_t* width = ir::AsConstInt(NodeContext::ShapeOf(given)[2]);
    const int64_t* pairs = ir::AsConstInt(NodeContext::ShapeOf(n.In(2)).back());
    if (width == nullptr || pairs == nullptr || *pairs < 1) n.Fail("has tables of unknown width");
    heads = *width / (2 * *pairs);
  }
  const GraphVar x = is_flat ? SplitHeads(n, given, heads) : given;
  GraphVar positions = n.In(1);
  if (NodeContext::RankOf(positions) == 1) {
    const std::vector<Expr> shape = NodeContext::ShapeOf(x);
    const GraphVar first = n.Reshape(n.Cast(positions, kWide), {});
    positions =
        n.BroadcastTo(n.Add(PlacesFrom(n, Int64(0), shape[2]), first), {shape[0], shape[2]});
  }
  const GraphVar y =
      Rotate(n, x, n.In(2), n.In(3), positions, n.Int("interleaved", 0) != 0, turned);
  return {is_flat ? JoinHeads(n, y) : y};
}

}  // namespace

std::vector<Operator> MicrosoftAttention() {
  return {
      {"com.microsoft.Attention", Attention},
      {"com.microsoft.GroupQueryAttention", GroupQueryAttention},
      {"com.microsoft.MultiHeadAttention", MultiHeadAttention},
      {"com.microsoft.QAttention", QAttention},
      {"com.microsoft.RotaryEmbedding", RotaryEmbedding},
  };
}

}  // namespace lathe::graph::onnx
