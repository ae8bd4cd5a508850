// Gradients of functions of several tensors, element by element. What was broadcast is summed by
// Reverse.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// The greater or the smaller of the two. Equal ones get a half each.
Vars Extreme(const GradientContext& c) {
  const Value g = G(c), a = X(c, 0), b = X(c, 1), y = Y(c);
  const Value shared = Where(a == b, g * 0.5, g);
  return {Where(a == y, shared, 0), Where(b == y, shared, 0)};
}

Vars Power(const GradientContext& c) {
  const Value g = G(c), a = X(c, 0), b = X(c, 1), y = Y(c);
  // 0^b has no logarithm, and its derivative by b is 0; a^0 does not depend on a.
  const Value base = Where(a == 0.0, a.Like(1), a);
  const Value by_a = Where(b == 0.0, g.Like(0), g * b * Apply("power", {a, b - 1.0}));
  return {by_a, Where(a == 0.0, g.Like(0), g * y * Log(base))};
}

Vars Atan2(const GradientContext& c) {
  const Value g = G(c), a = X(c, 0), b = X(c, 1);
  const Value share = g / (a * a + b * b);
  return {share * b, -(share * a)};
}

GradientFn Remainder(const char* quotient) {
  return [quotient](const GradientContext& c) {
    return Vars{G(c), -(G(c) * Apply(quotient, {X(c, 0), X(c, 1)}))};
  };
}

}  // namespace

Gradients BroadcastGradients() {
  Gradients g;
  g["add"] = [](const GradientContext& c) { return Vars{c.g(), c.g()}; };
  g["subtract"] = [](const GradientContext& c) { return Vars{c.g(), -G(c)}; };
  g["multiply"] = [](const GradientContext& c) { return Vars{G(c) * X(c, 1), G(c) * X(c, 0)}; };
  g["divide"] = [](const GradientContext& c) {
    const Value share = G(c) / X(c, 1);
    return Vars{share, -(share * Y(c))};
  };
  for (const char* name : {"floor_divide", "trunc_divide"}) g[name] = NoneOf();
  for (const char* name : {"mod", "trunc_mod"}) g[name] = Remainder("trunc_divide");
  g["floor_mod"] = Remainder("floor_divide");
  g["power"] = Power;
  for (const char* name : {"maximum", "minimum"}) g[name] = Extreme;
  g["atan2"] = Atan2;
  g["where"] = [](const GradientContext& c) {
    return Vars{nullptr, Where(X(c), G(c), 0), Where(X(c), G(c).Like(0), G(c))};
  };
  g["nn.bias_add"] = [](const GradientContext& c) {
    const Value g = G(c);
    const int64_t axis = FromFront(c.attrs.Int("axis"), g.rank());
    std::vector<int64_t> others;
    for (int64_t d = 0; d < g.rank(); ++d) {
      if (d != axis) others.push_back(d);
    }
    return Vars{g, Sum(g, others)};
  };
  g["outer"] = [](const GradientContext& c) {
    const Value g = G(c), a = X(c, 0), b = X(c, 1);
    return Vars{Sum(g * b, {1}), Sum(g * Reshape(a, {a.shape()[0], Int64(1)}), {0})};
  };
  g["dot"] = [](const GradientContext& c) { return Vars{G(c) * X(c, 1), G(c) * X(c, 0)}; };
  return g;
}

}  // namespace lathe::graph::ops
