// Gradients of the parts of attention. nn.attention itself is a composition.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// Pairs of features, turned: (a cos - b sin, a sin + b cos).
Value Rotary(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const Value& data = x[0];
  const Shape& shape = data.shape();
  const int64_t features = *ir::AsConstInt(shape[3]);
  const int64_t d = attrs.Int("rotary_dim") == 0 ? features : attrs.Int("rotary_dim");
  const bool interleaved = attrs.Bool("interleaved");
  // Pairs as [..., pairs, 2] or [..., 2, pairs].
  Shape pairs(shape.begin(), shape.begin() + 3);
  pairs.insert(pairs.end(), {Int64(interleaved ? d / 2 : 2), Int64(interleaved ? 2 : d / 2)});
  const int64_t side = interleaved ? 4 : 3;
  const Value turned = Reshape(Part(data, 3, Int64(0), Int64(d)), pairs);
  const Shape half{shape[0], shape[1], shape[2], Int64(d / 2)};
  const Value a = Reshape(Part(turned, side, Int64(0), Int64(1)), half);
  const Value b = Reshape(Part(turned, side, Int64(1), Int64(1)), half);
  // [n or 1, 1, places, pairs]
  const auto table = [&](const Value& of) {
    const Value rows = x.size() > 3 ? Take(of, x[3], 0) : of;
    Shape out = rows.shape();
    out.insert(out.end() - 2, Int64(1));
    return Reshape(rows, out);
  };
  const Value cos = table(x[1]), sin = table(x[2]);
  const Value both =
      Apply("stack", {a * cos - b * sin, a * sin + b * cos}, {{"axis", IntAttr(side)}});
  Shape flat(shape.begin(), shape.begin() + 3);
  flat.push_back(Int64(d));
  const Value y = Reshape(both, flat);
  if (d == features) return y;
  return Concatenate({y, Part(data, 3, Int64(d), Int64(features - d))}, 3);
}

}  // namespace

Gradients AttentionGradients() {
  Gradients g;
  g["nn.causal_mask"] = [](const GradientContext& c) {
    return Vars{Apply("trilu", {G(c)}, {{"upper", BoolAttr(false)}})};
  };
  g["nn.rotary_embedding"] = ByComposition(Rotary);
  return g;
}

}  // namespace lathe::graph::ops
