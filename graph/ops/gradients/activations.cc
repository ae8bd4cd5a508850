// Gradients of activation functions. At a kink, the gradient is the one from the left.
#include <cmath>
#include <numbers>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// The gradient where the condition holds, `factor` times it elsewhere.
using Condition = std::function<Value(const Value& x, const Attrs& attrs)>;
GradientFn Gated(Condition condition, std::function<double(const Attrs&)> factor = {}) {
  return [condition, factor](const GradientContext& c) {
    const Value g = G(c), open = condition(X(c), c.attrs);
    return Vars{factor ? Where(open, g, g * factor(c.attrs)) : Where(open, g, 0)};
  };
}

Value Positive(const Value& x) { return x > 0.0; }
Value NegativePart(const Value& x) { return Min(x, x.Like(0)); }

Vars Prelu(const GradientContext& c) {
  const Value g = G(c), x = X(c), open = Positive(x);
  const int64_t axis = FromFront(c.attrs.Int("axis"), x.rank());
  const Value alpha = AlongAxis(X(c, 1), axis, x.rank());
  std::vector<int64_t> others;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != axis) others.push_back(d);
  }
  return {Where(open, g, g * alpha), Sum(Where(open, ZerosLike(x), g * x), others)};
}

Value GeluTanh(const Value& x) {
  constexpr double kScale = 0.7978845608028654, kCube = 0.044715;
  const Value t = Tanh((x + x * x * x * kCube) * kScale);
  const Value inner = (x * x * (3 * kCube) + 1.0) * kScale;
  return (t + 1.0) * 0.5 + x * 0.5 * (1.0 - t * t) * inner;
}

}  // namespace

Gradients ActivationGradients() {
  Gradients g;
  const auto of = [&](const char* name, std::function<Value(const Value&, const Value&)> map) {
    g[name] = Derivative(
        [map = std::move(map)](const Value& x, const Value& y, const Attrs&) { return map(x, y); });
  };
  const auto between = [](double low, double high) {
    return Gated([=](const Value& x, const Attrs&) { return x > low && x < high; });
  };
  g["nn.relu"] = Gated([](const Value& x, const Attrs&) { return Positive(x); });
  g["nn.relu6"] = between(0, 6);
  g["nn.hard_tanh"] = between(-1, 1);
  g["nn.leaky_relu"] = Gated([](const Value& x, const Attrs&) { return Positive(x); },
                             [](const Attrs& attrs) { return attrs.Float("alpha"); });
  g["nn.prelu"] = Prelu;
  g["nn.elu"] = Derivative([](const Value& x, const Value&, const Attrs& attrs) {
    const Value below = Exp(NegativePart(x)) * attrs.Float("alpha");
    return Where(Positive(x), x.Like(1), below);
  });
  g["nn.selu"] = Derivative([](const Value& x, const Value&, const Attrs& attrs) {
    const double alpha = attrs.Float("alpha"), gamma = attrs.Float("gamma");
    return Where(Positive(x), x.Like(gamma), Exp(NegativePart(x)) * (alpha * gamma));
  });
  g["nn.celu"] = Derivative([](const Value& x, const Value&, const Attrs& attrs) {
    return Where(Positive(x), x.Like(1), Exp(NegativePart(x) / attrs.Float("alpha")));
  });
  of("nn.gelu", [](const Value& x, const Value&) {
    const Value share = (Apply("erf", {x * std::numbers::sqrt2 * 0.5}) + 1.0) * 0.5;
    return share + x * Exp(x * x * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  });
  of("nn.gelu_tanh", [](const Value& x, const Value&) { return GeluTanh(x); });
  of("nn.silu", [](const Value& x, const Value& y) {
    const Value s = Sigmoid(x);
    return s + y * (1.0 - s);
  });
  of("nn.mish", [](const Value& x, const Value&) {
    const Value t = Tanh(Apply("nn.softplus", {x}));
    return t + x * (1.0 - t * t) * Sigmoid(x);
  });
  g["nn.hard_sigmoid"] = Derivative([](const Value& x, const Value& y, const Attrs& attrs) {
    return Where(y > 0.0 && y < 1.0, x.Like(attrs.Float("alpha")), 0);
  });
  of("nn.hard_swish", [](const Value& x, const Value&) {
    const Value slope = Where(x < 3.0, x / 3.0 + 0.5, 1);
    return Where(x > -3.0, slope, 0);
  });
  of("nn.softplus", [](const Value& x, const Value&) { return Sigmoid(x); });
  of("nn.softsign", [](const Value& x, const Value&) {
    const Value below = Abs(x) + 1.0;
    return 1.0 / (below * below);
  });
  of("nn.log_sigmoid", [](const Value& x, const Value&) { return Sigmoid(-x); });
  g["nn.thresholded_relu"] =
      Gated([](const Value& x, const Attrs& attrs) { return x > attrs.Float("alpha"); });
  for (const char* name : {"nn.hard_shrink", "nn.soft_shrink"}) {
    g[name] =
        Gated([](const Value& x, const Attrs& attrs) { return Abs(x) > attrs.Float("lambd"); });
  }
  return g;
}

}  // namespace lathe::graph::ops
