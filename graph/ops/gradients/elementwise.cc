// Gradients of functions of one tensor, element by element.
#include <cmath>
#include <numbers>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {

Gradients ElementwiseGradients() {
  Gradients g;
  const auto of = [&](const char* name, std::function<Value(const Value&, const Value&)> map) {
    g[name] = Derivative(
        [map = std::move(map)](const Value& x, const Value& y, const Attrs&) { return map(x, y); });
  };
  const auto handed_on = [](const GradientContext& c) { return Vars{c.g()}; };
  of("abs", [](const Value& x, const Value&) { return Sign(x); });
  g["negative"] = [](const GradientContext& c) { return Vars{-G(c)}; };
  for (const char* name : {"sign", "ceil", "floor", "trunc", "round", "rint"}) g[name] = NoneOf();
  of("exp", [](const Value&, const Value& y) { return y; });
  of("exp2", [](const Value&, const Value& y) { return y * std::numbers::ln2; });
  of("expm1", [](const Value& x, const Value&) { return Exp(x); });
  of("log", [](const Value& x, const Value&) { return 1.0 / x; });
  of("log2", [](const Value& x, const Value&) { return std::numbers::log2e / x; });
  of("log10", [](const Value& x, const Value&) { return std::numbers::log10e / x; });
  of("log1p", [](const Value& x, const Value&) { return 1.0 / (x + 1.0); });
  of("sqrt", [](const Value&, const Value& y) { return 0.5 / y; });
  of("rsqrt", [](const Value& x, const Value& y) { return y * -0.5 / x; });
  of("sin", [](const Value& x, const Value&) { return Apply("cos", {x}); });
  of("cos", [](const Value& x, const Value&) { return -Apply("sin", {x}); });
  of("tan", [](const Value&, const Value& y) { return y * y + 1.0; });
  of("asin", [](const Value& x, const Value&) { return Apply("rsqrt", {1.0 - x * x}); });
  of("acos", [](const Value& x, const Value&) { return -Apply("rsqrt", {1.0 - x * x}); });
  of("atan", [](const Value& x, const Value&) { return 1.0 / (x * x + 1.0); });
  of("sinh", [](const Value& x, const Value&) { return Apply("cosh", {x}); });
  of("cosh", [](const Value& x, const Value&) { return Apply("sinh", {x}); });
  of("tanh", [](const Value&, const Value& y) { return 1.0 - y * y; });
  of("asinh", [](const Value& x, const Value&) { return Apply("rsqrt", {x * x + 1.0}); });
  of("acosh", [](const Value& x, const Value&) { return Apply("rsqrt", {x * x - 1.0}); });
  of("atanh", [](const Value& x, const Value&) { return 1.0 / (1.0 - x * x); });
  of("erf",
     [](const Value& x, const Value&) { return Exp(-(x * x)) * (2 * std::numbers::inv_sqrtpi); });
  of("sigmoid", [](const Value&, const Value& y) { return y * (1.0 - y); });
  of("reciprocal", [](const Value&, const Value& y) { return -(y * y); });
  of("square", [](const Value& x, const Value&) { return x * 2.0; });
  g["clip"] = [](const GradientContext& c) {
    const Value x = X(c);
    const Value inside = x >= c.attrs.Float("a_min") && x <= c.attrs.Float("a_max");
    return Vars{Where(inside, G(c), 0)};
  };
  for (const char* name : {"copy", "cast", "identity", "optimization_barrier", "on_device"})
    g[name] = handed_on;
  g["device_copy"] = [](const GradientContext& c) {
    return Vars{Apply("device_copy", {G(c)},
                      {{"src_device", StringAttr(c.attrs.String("dst_device"))},
                       {"dst_device", StringAttr(c.attrs.String("src_device"))}})};
  };
  for (const char* name : {"zeros_like", "ones_like", "stop_gradient"}) g[name] = NoneOf();
  return g;
}

}  // namespace lathe::graph::ops
