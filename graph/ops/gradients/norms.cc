// Gradients of normalisations and of softmax.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// (x - mean) / sqrt(variance + epsilon) over some dimensions.
Value Normalised(const Value& x, const std::vector<int64_t>& axes, double epsilon) {
  const Value centred = x - Mean(x, axes, true);
  return centred * Apply("rsqrt", {Mean(centred * centred, axes, true) + epsilon});
}

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> axes;
  for (int64_t d = begin; d < end; ++d) axes.push_back(d);
  return axes;
}

// y gamma + beta, as the attributes say, with an element for each place along `axis`.
Value Scaled(Value y, const std::vector<Value>& x, int64_t axis, const Attrs& attrs) {
  const int64_t rank = x[0].rank();
  if (attrs.Bool("scale")) y = y * AlongAxis(x[1], axis, rank);
  return attrs.Bool("center") ? y + AlongAxis(x[2], axis, rank) : y;
}

Value LayerNorm(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const int64_t last = x[0].rank() - 1;
  return Scaled(Normalised(x[0], {last}, attrs.Float("epsilon")), x, last, attrs);
}

Value InstanceNorm(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const int64_t axis = FromFront(attrs.Int("axis"), x[0].rank());
  std::vector<int64_t> axes = Range(1, x[0].rank());
  std::erase(axes, axis);
  return Scaled(Normalised(x[0], axes, attrs.Float("epsilon")), x, axis, attrs);
}

Value GroupNorm(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const int64_t axis = FromFront(attrs.Int("axis"), x[0].rank());
  // The channels as [groups, channels of a group].
  Shape split = x[0].shape();
  const auto at = static_cast<size_t>(axis);
  const Expr groups = Int64(attrs.Int("num_groups"));
  split[at] = ir::FloorDivide(split[at], groups);
  split.insert(split.begin() + static_cast<ptrdiff_t>(at), groups);
  std::vector<int64_t> axes = Range(1, x[0].rank() + 1);
  std::erase(axes, axis);
  const Value y = Normalised(Reshape(x[0], split), axes, attrs.Float("epsilon"));
  return Scaled(Reshape(y, x[0].shape()), x, axis, attrs);
}

Value RmsNorm(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const std::vector<int64_t> axes = Range(FromFront(attrs.Int("axis"), x[0].rank()), x[0].rank());
  const Value squares = Mean(x[0] * x[0], axes, true) + attrs.Float("epsilon");
  return x[0] * Apply("rsqrt", {squares}) * x[1];
}

Value L2Normalize(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  std::vector<int64_t> axes = attrs.Ints("axis");
  if (axes.empty()) axes = Range(0, x[0].rank());
  const Value squares = Sum(x[0] * x[0], axes, true);
  return x[0] / Sqrt(Max(squares, squares.Like(attrs.Float("eps"))));
}

// The sum over the neighbours is one of shifted copies.
Value Lrn(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const int64_t size = attrs.Int("size"), before = (size - 1) / 2;
  const int64_t axis = FromFront(attrs.Int("axis"), x[0].rank());
  std::vector<int64_t> widths(static_cast<size_t>(2 * x[0].rank()), 0);
  widths[static_cast<size_t>(2 * axis)] = before;
  widths[static_cast<size_t>(2 * axis + 1)] = size - 1 - before;
  const Value padded = Apply("nn.pad", {x[0] * x[0]}, {{"pad_width", IntsAttr(std::move(widths))}});
  const Expr extent = x[0].shape()[static_cast<size_t>(axis)];
  Value sum = Part(padded, axis, Int64(0), extent);
  for (int64_t k = 1; k < size; ++k) sum = sum + Part(padded, axis, Int64(k), extent);
  const Value base = sum * (attrs.Float("alpha") / static_cast<double>(size)) + attrs.Float("bias");
  return x[0] * Apply("power", {base, base.Like(-attrs.Float("beta"))});
}

}  // namespace

Gradients NormGradients() {
  Gradients g;
  g["nn.layer_norm"] = ByComposition(LayerNorm);
  g["nn.instance_norm"] = ByComposition(InstanceNorm);
  g["nn.group_norm"] = ByComposition(GroupNorm);
  g["nn.rms_norm"] = ByComposition(RmsNorm);
  g["nn.l2_normalize"] = ByComposition(L2Normalize);
  g["nn.lrn"] = ByComposition(Lrn);
  g["nn.softmax"] = [](const GradientContext& c) {
    const Value g = G(c), y = Y(c);
    const Value mean = Sum(g * y, {FromFront(c.attrs.Int("axis"), y.rank())}, true);
    return Vars{(g - mean) * y};
  };
  g["nn.log_softmax"] = [](const GradientContext& c) {
    const Value g = G(c), y = Y(c);
    const Value sum = Sum(g, {FromFront(c.attrs.Int("axis"), y.rank())}, true);
    return Vars{g - Exp(y) * sum};
  };
  return g;
}

}  // namespace lathe::graph::ops
