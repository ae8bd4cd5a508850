// Gradients of running sums, products, maxima and minima.
#include <limits>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// The input as the scan sees it: all elements as one dimension if no axis is given, in the type of
// the result.
struct ScanCall {
  explicit ScanCall(const GradientContext& c)
      : is_flat(c.attrs.Ints("axis").empty()),
        exclusive(c.attrs.Bool("exclusive")),
        reverse(c.attrs.Bool("reverse")),
        axis(is_flat ? 0 : FromFront(c.attrs.Ints("axis")[0], X(c).rank())) {}
  Value Input(const Value& x, DataType dtype) const { return Cast(is_flat ? Flat(x) : x, dtype); }
  ir::Dict Attrs(bool is_reversed) const {
    return {{"axis", IntsAttr({axis})},
            {"exclusive", BoolAttr(exclusive)},
            {"reverse", BoolAttr(is_reversed)}};
  }
  bool is_flat, exclusive, reverse;
  int64_t axis;
};

Vars Sums(const GradientContext& c) {
  const ScanCall call(c);
  const Value g = Apply("cumsum", {G(c)}, call.Attrs(!call.reverse));
  return {Reshape(g, X(c).shape())};
}

// dy[k] / dx[i] is the product of the elements of y[k] but x[i]: the scan of row i of a matrix
// whose diagonal is 1. It takes n^2 elements, and nothing is divided by an element that may be 0.
Vars Products(const GradientContext& c) {
  const ScanCall call(c);
  Builder& b = c.builder;
  const Value g = G(c), x = call.Input(X(c), g.dtype());
  const Expr extent = x.shape()[static_cast<size_t>(call.axis)];
  const int64_t rank = x.rank() + 1;
  const Value places = Arange(b, extent, DataType::Int(64));
  const Value i = AlongAxis(places, call.axis, rank), k = AlongAxis(places, call.axis + 1, rank);
  const auto row = [&](const Value& of) {
    return Apply("expand_dims", {of}, {{"axis", IntAttr(call.axis)}});
  };
  ir::Dict attrs = call.Attrs(call.reverse);
  attrs["axis"] = IntsAttr({call.axis + 1});
  const Value products = Apply("cumprod", {Where(i == k, x.Like(1), row(x))}, attrs);
  const Value reads =
      call.exclusive ? (call.reverse ? k < i : i < k) : (call.reverse ? k <= i : i <= k);
  const Value sums = Sum(Where(reads, row(g) * products, 0), {call.axis + 1});
  return {Reshape(sums, X(c).shape())};
}

// The running maximum is the element at the last place so far that was one.
GradientFn Extremes(const char* op, double identity) {
  return [op, identity](const GradientContext& c) {
    const ScanCall call(c);
    return PullBack(c, [&](Builder& b, const Vars& args, const Attrs&) {
      const Value x = call.Input({&b, args[0]}, Y(c).dtype());
      const Expr extent = x.shape()[static_cast<size_t>(call.axis)];
      ir::Dict attrs{{"axis", IntsAttr({call.axis})}, {"reverse", BoolAttr(call.reverse)}};
      const Value is_new = x == Apply(op, {x}, attrs);
      Value places = AlongAxis(Arange(b, extent, DataType::Int(64)), call.axis, x.rank());
      if (call.reverse) {
        places = Where(is_new, places, NumberOf(b, extent - 1, DataType::Int(64)));
        places = Apply("cummin", {places}, attrs);
      } else {
        places = Apply("cummax", {Where(is_new, places, 0)}, attrs);
      }
      const Value y = Apply("gather", {x, places}, {{"axis", IntAttr(call.axis)}});
      if (!call.exclusive) return y.var;
      std::vector<int64_t> widths(static_cast<size_t>(2 * x.rank()), 0);
      const auto before = static_cast<size_t>(2 * call.axis);
      widths[before] = call.reverse ? -1 : 1;
      widths[before + 1] = -widths[before];
      return Apply("nn.pad", {y, y.Like(identity)}, {{"pad_width", IntsAttr(widths)}}).var;
    });
  };
}

}  // namespace

Gradients ScanGradients() {
  Gradients g;
  g["cumsum"] = Sums;
  g["cumprod"] = Products;
  g["cummax"] = Extremes("cummax", std::numeric_limits<float>::lowest());
  g["cummin"] = Extremes("cummin", std::numeric_limits<float>::max());
  return g;
}

}  // namespace lathe::graph::ops
