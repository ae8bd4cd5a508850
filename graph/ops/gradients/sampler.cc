#include "graph/ops/gradients/sampler.h"

namespace lathe::graph::ops {
namespace {

// An element that is read: its place, a whole number, and its weight; no weight: 1.
struct Tap {
  Value place, weight;
};

std::vector<Tap> TapsAt(const Value& x, Taps taps) {
  if (taps == Taps::kNearest) return {{x, {}}};
  const Value whole = Apply("floor", {x}), t = x - whole;
  if (taps == Taps::kLinear) return {{whole, 1.0 - t}, {whole + 1.0, t}};
  constexpr double kAlpha = -0.75;
  const auto near = [](const Value& d) { return (d * (kAlpha + 2) - (kAlpha + 3)) * d * d + 1.0; };
  const auto far = [](const Value& d) {
    return ((d * kAlpha - 5 * kAlpha) * d + 8 * kAlpha) * d - 4 * kAlpha;
  };
  const Value rest = 1.0 - t;
  return {{whole - 1.0, far(t + 1.0)},
          {whole, near(t)},
          {whole + 1.0, near(rest)},
          {whole + 2.0, far(rest + 1.0)}};
}

}  // namespace

Value SampleAt(const Value& data, const std::vector<Value>& places, Taps taps,
               const std::function<Value(const Value& place, size_t d)>& moved) {
  Builder& b = *data.b;
  const DataType index_type = DataType::Int(64);
  const size_t rank = places.size();
  const Shape space(data.shape().begin() + 2, data.shape().end());
  const Shape flat{data.shape()[0], data.shape()[1], ProductOf(space)};
  // [n, elements, channels], so that one index is a row of channels.
  const Value rows = Transpose(Reshape(data, flat), {0, 2, 1});
  std::vector<std::vector<Tap>> all;
  for (size_t d = 0; d < rank; ++d) {
    all.push_back(TapsAt(places[d], taps));
    for (Tap& tap : all.back()) {
      if (moved) tap.place = moved(tap.place, d);
    }
  }
  Value sum;
  std::vector<size_t> at(rank, 0);
  while (true) {
    Value index, inside, weight;
    for (size_t d = 0; d < rank; ++d) {
      const Tap& tap = all[d][at[d]];
      const Value last = NumberOf(b, space[d] - 1, tap.place.dtype());
      const Value here = tap.place >= 0.0 && tap.place <= last;
      const Value place = Cast(Max(Min(tap.place, last), last.Like(0)), index_type);
      inside = d == 0 ? here : inside && here;
      index = d == 0 ? place : index * NumberOf(b, space[d], index_type) + place;
      if (tap.weight.b != nullptr) weight = weight.b != nullptr ? weight * tap.weight : tap.weight;
    }
    const Value factor =
        weight.b != nullptr ? Where(inside, weight, 0) : Cast(inside, data.dtype());
    const Value read =
        Apply("take", {rows, index}, {{"axis", IntAttr(1)}, {"batch_dims", IntAttr(1)}});
    const Value term = read * Apply("expand_dims", {factor}, {{"axis", IntAttr(2)}});
    sum = sum.b != nullptr ? sum + term : term;
    size_t d = 0;
    while (d < rank && ++at[d] == all[d].size()) at[d++] = 0;
    if (d == rank) return Transpose(sum, {0, 2, 1});
  }
}

}  // namespace lathe::graph::ops
