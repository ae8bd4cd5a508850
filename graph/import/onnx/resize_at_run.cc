// Resize by numbers that only a run knows: the places and weights of resize.h as tensors.
#include <cmath>
#include <utility>

#include "arith/analyzer.h"
#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/quantised.h"

namespace lathe::graph::onnx {
namespace {

constexpr DataType kReal = DataType::Float(64), kWide = DataType::Int(64);

// Real numbers of 64 bits in few words.
class Real {
 public:
  explicit Real(NodeContext& n) : n_(n) {}
  GraphVar operator()(double value) const { return n_.Scalar(value, kReal); }
  GraphVar Of(const GraphVar& x) const { return n_.Cast(x, kReal); }
  GraphVar Fn(const char* name, const GraphVar& x) const { return n_.Call(name, {x}); }
  GraphVar Is(const char* relation, const GraphVar& x, const GraphVar& y) const {
    return n_.Call(relation, {x, y});
  }
  GraphVar Where(const GraphVar& condition, const GraphVar& x, const GraphVar& y) const {
    return n_.Call("where", {condition, x, y});
  }
  GraphVar Element(const GraphVar& vector, int64_t at) const {
    return n_.Reshape(n_.Slice(vector, 0, Int64(at), Int64(at + 1)), {});
  }

 private:
  NodeContext& n_;
};

// What is known of one dimension: numbers of rank 0.
struct Dimension {
  GraphVar in, out, scale, begin, end;
};

GraphVar PlacesOf(const NodeContext& n, const Expr& extent) {
  return n.Call("arange", {}, {{"stop", ShapeAttr({extent})}, {"dtype", StringAttr("int64")}});
}

// Numbers as sizes.
std::vector<Expr> SizesOf(const NodeContext& n, const GraphVar& numbers) {
  const std::vector<Expr>& empty =
      NodeContext::ShapeOf(n.Call("as_shape", {n.Cast(numbers, kWide)}));
  return {empty.begin() + 1, empty.end()};
}

// The place of each result in the input.
GraphVar InputPlaces(NodeContext& n, const ResizeRule& rule, const GraphVar& i,
                     const Dimension& d) {
  const Real real(n);
  const std::string& how = rule.transformation;
  const GraphVar half = real(0.5), one = real(1);
  const GraphVar length = n.Mul(d.scale, d.in);
  const GraphVar from_middle = n.Div(n.Add(i, half), d.scale);
  const GraphVar is_one = real.Is("equal", length, one);
  // Divisors of what is not used must not be 0.
  const GraphVar spaces = real.Where(is_one, one, n.Sub(length, one));
  if (how == "asymmetric") return n.Div(i, d.scale);
  if (how == "align_corners") {
    return real.Where(is_one, real(0), n.Div(n.Mul(i, n.Sub(d.in, one)), spaces));
  }
  if (how == "pytorch_half_pixel") {
    return real.Where(is_one, real(-0.5), n.Sub(from_middle, half));
  }
  if (how == "tf_half_pixel_for_nn") return from_middle;
  if (how == "half_pixel_symmetric") {
    const GraphVar adjustment = n.Div(d.out, length);
    return n.Sub(n.Add(n.Mul(n.Div(d.in, real(2)), n.Sub(one, adjustment)), from_middle), half);
  }
  if (how == "tf_crop_and_resize") {
    const GraphVar last = n.Sub(d.in, one);
    const GraphVar middle = n.Mul(n.Mul(half, n.Add(d.begin, d.end)), last);
    const GraphVar along =
        n.Add(n.Mul(d.begin, last), n.Div(n.Mul(n.Mul(i, n.Sub(d.end, d.begin)), last), spaces));
    return real.Where(real.Is("equal", d.out, one), middle, along);
  }
  return n.Sub(from_middle, half);
}

// The weight of a neighbour at this distance [Keys, 1981].
GraphVar Keys(NodeContext& n, const GraphVar& distance, double a) {
  const Real real(n);
  const GraphVar x = real.Fn("abs", distance);
  const auto polynomial = [&](double c3, double c2, double c1, double c0) {
    const GraphVar inner = n.Add(n.Mul(n.Add(n.Mul(real(c3), x), real(c2)), x), real(c1));
    return n.Add(n.Mul(inner, x), real(c0));
  };
  const GraphVar near = polynomial(a + 2, -(a + 3), 0, 1);
  const GraphVar far = polynomial(a, -5 * a, 8 * a, -4 * a);
  return real.Where(real.Is("less_equal", x, real(1)), near,
                    real.Where(real.Is("less", x, real(2)), far, real(0)));
}

// Which of two neighbours, as 0 or 1.
GraphVar TakesRight(NodeContext& n, const std::string& rounding, const GraphVar& fraction) {
  const Real real(n);
  if (rounding == "ceil") return real.Fn("ones_like", fraction);
  if (rounding == "floor") return real.Of(real.Is("equal", fraction, real(1)));
  const bool up = rounding == "round_prefer_ceil";
  return real.Of(real.Is(up ? "greater_equal" : "greater", fraction, real(0.5)));
}

// Along one dimension as a product with a matrix: how many neighbours a result has depends on the
// scale. `left` and `fraction` [results] say where the results are between elements.
GraphVar AntialiasedAxis(NodeContext& n, const ResizeRule& rule, const GraphVar& x, int64_t axis,
                         const Dimension& d, const GraphVar& left, const GraphVar& fraction) {
  const Real real(n);
  const bool cubic = rule.mode == "cubic";
  const GraphVar one = real(1), zero = real(0), last = n.Sub(d.in, one);
  const GraphVar stretch = n.Call("minimum", {d.scale, one});
  const GraphVar radius = n.Div(real(cubic ? 2 : 1), stretch);
  const GraphVar reach = n.Sub(real.Fn("ceil", radius), one);  // neighbours before `left`
  const GraphVar count = n.Mul(n.Add(reach, one), real(2));
  const Expr taps = SizesOf(n, n.Reshape(count, {Int64(1)})).at(0);
  const GraphVar k = n.Sub(real.Of(PlacesOf(n, taps)), reach);
  const GraphVar distance = n.Mul(n.Sub(k, n.ExpandDims(fraction, 1)), stretch);
  GraphVar weight = cubic ? Keys(n, distance, rule.cubic)
                          : n.Call("maximum", {n.Sub(one, real.Fn("abs", distance)), zero});
  const GraphVar place = n.Add(n.ExpandDims(left, 1), k);
  if (rule.exclude_outside) {
    const GraphVar inside = n.Call(
        "logical_and", {real.Is("greater_equal", place, zero), real.Is("less_equal", place, last)});
    weight = real.Where(inside, weight, zero);
  }
  weight = n.Div(weight,
                 n.Call("sum", {weight}, {{"axis", IntsAttr({1})}, {"keepdims", BoolAttr(true)}}));
  const GraphVar nearest = n.Call("maximum", {n.Call("minimum", {place, last}), zero});
  const DataType dtype = NodeContext::DTypeOf(x);
  const Expr results = NodeContext::ShapeOf(left)[0];
  const Expr elements = NodeContext::ShapeOf(x)[static_cast<size_t>(axis)];
  const GraphVar none =
      n.Call("zeros", {},
             {{"shape", ShapeAttr({results, elements})}, {"dtype", StringAttr(dtype.ToString())}});
  const GraphVar matrix =
      n.Call("scatter_elements", {none, n.Cast(nearest, kWide), n.Cast(weight, dtype)},
             {{"axis", IntAttr(1)}, {"reduction", StringAttr("add")}});
  // The dimension is moved to the end, and back.
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<int64_t> order;
  for (int64_t at = 0; at < rank; ++at) order.push_back(at);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  const GraphVar y =
      n.Call("matmul", {n.Transpose(x, order), matrix}, {{"transpose_b", BoolAttr(true)}});
  return n.Transpose(y, order);
}

GraphVar ResizeAxisAtRun(NodeContext& n, const ResizeRule& rule, const GraphVar& x, int64_t axis,
                         const Expr& extent, const Dimension& d, double extrapolation) {
  const Real real(n);
  const GraphVar i = real.Of(PlacesOf(n, extent));
  const GraphVar place = InputPlaces(n, rule, i, d), one = real(1), last = n.Sub(d.in, one);
  const GraphVar left = n.Sub(real.Fn("ceil", place), one), fraction = n.Sub(place, left);
  const auto take = [&](const GraphVar& at) {
    const GraphVar inside = n.Call("maximum", {n.Call("minimum", {at, last}), real(0)});
    return n.Call("take", {x, n.Cast(inside, kWide)}, {{"axis", IntAttr(axis)}});
  };
  const DataType dtype = NodeContext::DTypeOf(x);
  std::vector<Expr> shape(static_cast<size_t>(NodeContext::RankOf(x) - axis), Int64(1));
  shape[0] = extent;
  GraphVar y;
  if (rule.antialias && rule.mode != "nearest") {
    y = AntialiasedAxis(n, rule, x, axis, d, left, fraction);
  } else if (rule.mode == "nearest") {
    y = take(n.Add(left, TakesRight(n, rule.rounding, fraction)));
  } else {
    const bool cubic = rule.mode == "cubic";
    std::vector<GraphVar> weights, places;
    GraphVar total;
    for (int64_t k = cubic ? -1 : 0; k <= (cubic ? 2 : 1); ++k) {
      const auto offset = static_cast<double>(k);
      places.push_back(n.Add(left, real(offset)));
      const GraphVar distance = n.Sub(real(offset), fraction);
      GraphVar weight =
          cubic ? Keys(n, distance, rule.cubic) : n.Sub(one, real.Fn("abs", distance));
      if (rule.exclude_outside) {
        const GraphVar inside =
            n.Call("logical_and", {real.Is("greater_equal", places.back(), real(0)),
                                   real.Is("less_equal", places.back(), last)});
        weight = real.Where(inside, weight, real(0));
        total = total ? n.Add(total, weight) : weight;
      }
      weights.push_back(weight);
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      const GraphVar weight = total ? n.Div(weights[k], total) : weights[k];
      const GraphVar part = n.Mul(take(places[k]), n.Reshape(n.Cast(weight, dtype), shape));
      y = y ? n.Add(y, part) : part;
    }
  }
  if (rule.transformation != "tf_crop_and_resize") return y;
  const GraphVar outside =
      n.Call("logical_or", {real.Is("less", place, real(0)), real.Is("greater", place, last)});
  return real.Where(n.Reshape(outside, shape), n.Scalar(extrapolation, dtype), y);
}

// Which axes keep their extents whatever a run gives, as those of batch and channels mostly do.
std::vector<bool> KeptAxes(NodeContext& n, const std::vector<int64_t>& axes, size_t given,
                           bool by_size) {
  std::vector<bool> same(axes.size(), false);
  const std::vector<Expr>& shape = NodeContext::ShapeOf(n.In(0));
  if (by_size && n.AreKnown(given)) {
    const std::vector<Expr> wanted = n.Extents(given, "sizes");
    for (size_t k = 0; k < axes.size(); ++k) {
      const Expr extent = ir::MakeCast(DataType::Int(64), shape[static_cast<size_t>(axes[k])]);
      same[k] = ir::IsZero(arith::Analyzer().Simplify(wanted[k] - extent));
    }
  } else if (!by_size && n.Known(given)) {
    const std::vector<double> factors = n.Floats(given, "scales");
    for (size_t k = 0; k < axes.size(); ++k) same[k] = factors[k] == 1;
  }
  return same;
}

}  // namespace

Results ResizeAtRun(NodeContext& n, const ResizeRule& rule, size_t scales, size_t sizes,
                    double extrapolation) {
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic") {
    n.FailAttribute("mode", "is out of range", "nearest, linear or cubic", rule.mode);
  }
  const Real real(n);
  GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<int64_t> axes = n.Axes(n.Ints("axes"), rank);
  if (axes.empty()) {
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  }
  const std::string policy = n.String("keep_aspect_ratio_policy", "stretch");
  const auto count = static_cast<int64_t>(axes.size());
  const GraphVar in = real.Of(
      n.Call("take", {n.Call("shape_of", {x}, {{"dtype", StringAttr("int64")}}), n.IntTensor(axes)},
             {{"axis", IntAttr(0)}}));
  const bool by_size = n.Has(sizes) && !ir::IsZero(NodeContext::ShapeOf(n.In(sizes)).at(0));
  const GraphVar given = n.In(by_size ? sizes : scales);
  if (!ir::IsConstInt(NodeContext::ShapeOf(given).at(0), count)) {
    n.Fail("has scales or sizes for another number of axes");
  }
  GraphVar factors = real.Of(given), out;
  if (!by_size) {
    out = real.Fn("floor", n.Mul(factors, in));
  } else if (policy == "stretch") {
    out = factors;
    factors = n.Div(factors, in);
  } else {
    const GraphVar factor = n.Call(policy == "not_larger" ? "min" : "max", {n.Div(factors, in)},
                                   {{"axis", IntsAttr({0})}, {"keepdims", BoolAttr(true)}});
    factors = n.Mul(factor, real.Fn("ones_like", in));
    out = real.Fn("floor", n.Add(n.Mul(factors, in), real(0.5)));
  }
  const std::vector<Expr> extents = SizesOf(n, out);
  const std::vector<bool> same = KeptAxes(n, axes, by_size ? sizes : scales, by_size);
  const DataType dtype = NodeContext::DTypeOf(x);
  const bool converts = !dtype.is_float() && rule.mode != "nearest";
  if (converts) x = n.Cast(x, DataType::Float(32));
  const bool crops = rule.transformation == "tf_crop_and_resize";
  for (int64_t k = 0; k < count; ++k) {
    if (same[static_cast<size_t>(k)] && !crops && policy == "stretch") continue;
    const Dimension d{real.Element(in, k), real.Element(out, k), real.Element(factors, k),
                      crops ? real.Of(real.Element(n.In(1), k)) : GraphVar(),
                      crops ? real.Of(real.Element(n.In(1), k + count)) : GraphVar()};
    x = ResizeAxisAtRun(n, rule, x, axes[static_cast<size_t>(k)], extents[static_cast<size_t>(k)],
                        d, extrapolation);
  }
  if (x.same_as(n.In(0))) return {n.Call("identity", {x})};
  return {converts ? Rounded(n, x, dtype) : x};
}

}  // namespace lathe::graph::onnx
