// Gradients of losses: each is a composition.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

Value Reduced(const Value& losses, const std::string& reduction) {
  if (reduction == "none") return losses;
  return Apply(reduction, {losses});
}

Value CrossEntropy(const std::vector<Value>& x, bool takes_log) {
  const Value logs = takes_log ? Log(x[0]) : x[0];
  return -SumAll(logs * x[1]) / NumberOf(*x[0].b, x[0].shape()[0], x[0].dtype());
}

Value NllLoss(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const Value &predictions = x[0], &targets = x[1];
  const Value last = NumberOf(b, predictions.shape()[1] - 1, targets.dtype());
  const Value places = Max(Min(targets, last), targets.Like(0));
  const Value counts = Where(targets == static_cast<double>(attrs.Int("ignore_index")),
                             Zeros(b, targets.shape(), x[2].dtype()), Take(x[2], places, 0));
  const Value wide = Apply("expand_dims", {places}, {{"axis", IntAttr(1)}});
  const Value chosen =
      Reshape(Apply("gather", {predictions, wide}, {{"axis", IntAttr(1)}}), targets.shape());
  const Value losses = -(counts * chosen);
  const std::string reduction = attrs.String("reduction");
  if (reduction == "mean") return SumAll(losses) / SumAll(counts);
  return Reduced(losses, reduction);
}

Value Huber(Builder&, const std::vector<Value>& x, const Attrs& attrs) {
  const double delta = attrs.Float("delta");
  const Value d = x[0] - x[1], size = Abs(d);
  return Reduced(Where(size <= delta, d * d * 0.5, (size - delta / 2) * delta),
                 attrs.String("reduction"));
}

}  // namespace

Gradients LossGradients() {
  Gradients g;
  g["nn.cross_entropy"] = ByComposition(
      [](Builder&, const std::vector<Value>& x, const Attrs&) { return CrossEntropy(x, true); });
  g["nn.cross_entropy_with_logits"] = ByComposition(
      [](Builder&, const std::vector<Value>& x, const Attrs&) { return CrossEntropy(x, false); });
  g["nn.nll_loss"] = ByComposition(NllLoss);
  g["nn.mse_loss"] = ByComposition([](Builder&, const std::vector<Value>& x, const Attrs& attrs) {
    const Value d = x[0] - x[1];
    return Reduced(d * d, attrs.String("reduction"));
  });
  g["nn.huber_loss"] = ByComposition(Huber);
  return g;
}

}  // namespace lathe::graph::ops
