// Gradients of reductions.
#include <algorithm>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// A reduction: which dimensions are reduced, and how many elements make one.
struct Reduced {
  explicit Reduced(const GradientContext& c) : x(X(c)) {
    std::vector<int64_t> given = FromFront(c.attrs.Ints("axis"), x.rank());
    std::vector<bool> is_reduced(x.shape().size(), given.empty());
    for (const int64_t axis : given) is_reduced[static_cast<size_t>(axis)] = true;
    if (c.attrs.Bool("exclude") && !given.empty()) is_reduced.flip();
    for (size_t d = 0; d < is_reduced.size(); ++d) {
      kept.push_back(is_reduced[d] ? Int64(1) : x.shape()[d]);
      if (!is_reduced[d]) continue;
      axes.push_back(static_cast<int64_t>(d));
      count = count * x.shape()[d];
    }
  }
  // A result, or its gradient, with extents of 1 for the reduced dimensions.
  Value Kept(const Value& y) const { return Reshape(y, kept); }
  // The same at every element of the input.
  Value Spread(const Value& y) const { return BroadcastTo(Kept(y), x.shape()); }
  Value Count() const { return NumberOf(*x.b, count, x.dtype()); }

  Value x;
  std::vector<int64_t> axes;
  Shape kept;
  Expr count = Int64(1);
};

// The gradient of each element from that of its result and the result, both with extents of 1.
using ByElement = std::function<Value(const Reduced& r, const Value& g, const Value& y)>;
GradientFn Of(ByElement map) {
  return [map = std::move(map)](const GradientContext& c) {
    const Reduced r(c);
    return Vars{map(r, r.Kept(G(c)), r.Kept(Y(c)))};
  };
}

// Equal elements share the gradient.
Value Extreme(const Reduced& r, const Value& g, const Value& y) {
  const Value is_there = Cast(r.x == y, r.x.dtype());
  return is_there * (g / Sum(is_there, r.axes, true));
}

// The product of all other elements is that of those before and those after: nothing is divided by
// an element that may be 0.
Vars Product(const GradientContext& c) {
  const Reduced r(c);
  if (r.axes.empty()) return {c.g()};
  std::vector<int64_t> order;
  Shape rows;
  for (int64_t d = 0; d < r.x.rank(); ++d) {
    if (std::ranges::count(r.axes, d) == 0) order.push_back(d);
  }
  for (const int64_t d : order) rows.push_back(r.x.shape()[static_cast<size_t>(d)]);
  order.insert(order.end(), r.axes.begin(), r.axes.end());
  rows.push_back(r.count);
  const Value moved = Transpose(r.x, order), row = Reshape(moved, rows);
  const auto axis = static_cast<int64_t>(rows.size()) - 1;
  const auto others = [&](bool reverse) {
    return Apply(
        "cumprod", {row},
        {{"axis", IntAttr(axis)}, {"exclusive", BoolAttr(true)}, {"reverse", BoolAttr(reverse)}});
  };
  const Value product = Reshape(others(false) * others(true), moved.shape());
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d) {
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  }
  return {r.Kept(G(c)) * Transpose(product, back)};
}

// g 2 (x - mean) / n for the variance; the standard deviation divides that by 2 y.
GradientFn Spread(bool root) {
  return [root](const GradientContext& c) {
    const Reduced r(c);
    const double less = c.attrs.Bool("unbiased") ? 1 : 0;
    Value g = r.Kept(G(c)) * 2.0 / (r.Count() - less);
    if (root) g = g / (r.Kept(Y(c)) * 2.0);
    if (r.axes.empty()) return Vars{r.x * 0.0};
    return Vars{(r.x - Mean(r.x, r.axes, true)) * g};
  };
}

}  // namespace

Gradients ReductionGradients() {
  Gradients g;
  g["sum"] = [](const GradientContext& c) { return Vars{Reduced(c).Spread(G(c))}; };
  g["mean"] = [](const GradientContext& c) {
    const Reduced r(c);
    return Vars{r.Spread(G(c) / r.Count())};
  };
  g["prod"] = Product;
  g["max"] = Of(Extreme);
  g["min"] = Of(Extreme);
  g["variance"] = Spread(false);
  g["std"] = Spread(true);
  g["logsumexp"] =
      Of([](const Reduced& r, const Value& g, const Value& y) { return g * Exp(r.x - y); });
  g["norm_l1"] = Of([](const Reduced& r, const Value& g, const Value&) { return g * Sign(r.x); });
  g["norm_l2"] = Of([](const Reduced& r, const Value& g, const Value& y) { return r.x * (g / y); });
  g["sum_square"] =
      Of([](const Reduced& r, const Value& g, const Value&) { return r.x * (g * 2.0); });
  g["log_sum"] = [](const GradientContext& c) {
    const Reduced r(c);
    return Vars{r.Spread(G(c) / Exp(Y(c)))};
  };
  return g;
}

}  // namespace lathe::graph::ops
