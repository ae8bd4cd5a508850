// What the attention operators of ONNX and of com.microsoft have in common.
#pragma once

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

// [n, places, heads * features] as [n, heads, places, features], and the reverse.
GraphVar SplitHeads(const NodeContext& n, const GraphVar& x, int64_t heads);
GraphVar JoinHeads(const NodeContext& n, const GraphVar& x);

// begin, begin + 1, ... below end, int64, with `behind` dimensions of 1 behind.
GraphVar PlacesFrom(const NodeContext& n, const Expr& begin, const Expr& end, int64_t behind = 0);

struct AttentionInputs {
  // [n, heads, places, features]. Where there are fewer heads of keys than of queries, neighbouring
  // queries share one.
  GraphVar query, key, value;
  // These three may be null.
  GraphVar seen;        // bool, broadcast to [n, heads, queries, keys]: does the query see the key?
  GraphVar bias;        // is added to the scores; broadcast to them
  GraphVar sink;        // [heads]: the score of one more key, whose value is 0
  double scale = 0;     // of the scores; 0: 1 / sqrt(features)
  double softcap = 0;   // scores become softcap tanh(scores / softcap); 0: they stay
  int least_bits = 32;  // of the numbers that softmax computes with
  // Does a query that sees no key get zeros? Otherwise NaN.
  bool zero_if_blind = false;
  bool wants_steps = false;
};
// [n, heads, queries, keys], without `wants_steps` null; and the result [n, heads, queries,
// features of values].
struct AttentionSteps {
  GraphVar scores, capped, biased, weights, result;
};
// softmax(scale Q K^T + bias) V [Vaswani et al., 2017].
AttentionSteps Attend(const NodeContext& n, const AttentionInputs& in);

// Positions that are written into pairs of features of `x` [n, heads, places, features]. `cos` and
// `sin` have a row for each place, or, with `positions` [n, places], tables of rows.
GraphVar Rotate(const NodeContext& n, const GraphVar& x, const GraphVar& cos, const GraphVar& sin,
                const GraphVar& positions, bool interleaved, int64_t rotary_dim);

}  // namespace lathe::graph::onnx
