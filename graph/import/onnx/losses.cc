// Losses, and steps of optimisers.
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

// -weight[t] scores[n, t, ...], reduced as `reduction` says.
GraphVar NegativeLogLikelihood(NodeContext& n, const GraphVar& scores) {
  const Expr classes = NodeContext::ShapeOf(scores)[1];
  const DataType dtype = NodeContext::DTypeOf(scores);
  const GraphVar weights =
      n.Has(2) ? n.In(2)
               : n.Call("ones", {},
                        {{"shape", ShapeAttr({classes})}, {"dtype", StringAttr(dtype.ToString())}});
  return n.Call("nn.nll_loss", {scores, n.In(1), weights},
                {{"reduction", StringAttr(n.String("reduction", "mean"))},
                 {"ignore_index", IntAttr(n.Int("ignore_index", -100))}});
}

Results NegativeLogLikelihoodLoss(NodeContext& n) { return {NegativeLogLikelihood(n, n.In(0))}; }

Results SoftmaxCrossEntropyLoss(NodeContext& n) {
  const GraphVar logs = n.Call("nn.log_softmax", {n.In(0)}, {{"axis", IntAttr(1)}});
  return {NegativeLogLikelihood(n, logs), logs};
}

// -- Optimisers: the inputs are the rate, the number of steps, and then for each kind of value one
// for each tensor.

struct Step {
  NodeContext& n;
  size_t count;  // of tensors
  GraphVar In(size_t kind, size_t i) const { return n.In(2 + kind * count + i); }
  GraphVar Scaled(const GraphVar& x, double factor) const {
    return n.Mul(x, n.Scalar(factor, NodeContext::DTypeOf(x)));
  }
};

Step StepOf(NodeContext& n, size_t kinds) {
  if (n.inputs.size() < 2 + kinds || (n.inputs.size() - 2) % kinds != 0) {
    n.Fail("has the wrong number of inputs", "2 + " + std::to_string(kinds) + " for each tensor",
           std::to_string(n.inputs.size()));
  }
  return {n, (n.inputs.size() - 2) / kinds};
}

// `rows[k][i]`: result k for tensor i.
Results InOrder(const std::vector<std::vector<GraphVar>>& rows) {
  Results results;
  for (const std::vector<GraphVar>& row : rows)
    results.insert(results.end(), row.begin(), row.end());
  return results;
}

Results Adagrad(NodeContext& n) {
  const Step step = StepOf(n, 3);
  const double decay = n.Float("decay_factor", 0), epsilon = n.Float("epsilon", 1e-6);
  const double norm = n.Float("norm_coefficient", 0);
  const GraphVar rate_given = n.In(0);
  const DataType dtype = NodeContext::DTypeOf(rate_given);
  const GraphVar steps = n.Cast(n.In(1), dtype);
  const GraphVar rate = n.Div(rate_given, n.Add(n.Scalar(1, dtype), step.Scaled(steps, decay)));
  std::vector<std::vector<GraphVar>> rows(2);
  for (size_t i = 0; i < step.count; ++i) {
    const GraphVar x = step.In(0, i);
    const GraphVar g = n.Add(step.Scaled(x, norm), step.In(1, i));
    const GraphVar squares = n.Add(step.In(2, i), n.Mul(g, g));
    const GraphVar root = n.Add(n.Call("sqrt", {squares}), n.Scalar(epsilon, dtype));
    rows[0].push_back(n.Sub(x, n.Div(n.Mul(rate, g), root)));
    rows[1].push_back(squares);
  }
  return InOrder(rows);
}

Results Adam(NodeContext& n) {
  const Step step = StepOf(n, 4);
  const double alpha = n.Float("alpha", 0.9), beta = n.Float("beta", 0.999);
  const double epsilon = n.Float("epsilon", 1e-6), norm = n.Float("norm_coefficient", 0);
  const double after = n.Float("norm_coefficient_post", 0);
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const GraphVar steps = n.Cast(n.In(1), dtype), one = n.Scalar(1, dtype);
  const auto left = [&](double base) {
    return n.Sub(one, n.Call("power", {n.Scalar(base, dtype), steps}));
  };
  // The first steps are corrected for averages that begin at 0.
  const GraphVar corrected = n.Div(n.Mul(n.In(0), n.Call("sqrt", {left(beta)})), left(alpha));
  const GraphVar is_later = n.Call("greater", {steps, n.Scalar(0, dtype)});
  const GraphVar rate = n.Call("where", {is_later, corrected, n.In(0)});
  std::vector<std::vector<GraphVar>> rows(3);
  for (size_t i = 0; i < step.count; ++i) {
    const GraphVar x = step.In(0, i);
    const GraphVar g = n.Add(step.Scaled(x, norm), step.In(1, i));
    const GraphVar mean = n.Add(step.Scaled(step.In(2, i), alpha), step.Scaled(g, 1 - alpha));
    const GraphVar squares =
        n.Add(step.Scaled(step.In(3, i), beta), step.Scaled(n.Mul(g, g), 1 - beta));
    const GraphVar root = n.Add(n.Call("sqrt", {squares}), n.Scalar(epsilon, dtype));
    const GraphVar next = n.Sub(x, n.Div(n.Mul(rate, mean), root));
    rows[0].push_back(step.Scaled(next, 1 - after));
    rows[1].push_back(mean);
    rows[2].push_back(squares);
  }
  return InOrder(rows);
}

Results Momentum(NodeContext& n) {
  const Step step = StepOf(n, 3);
  const double alpha = n.Float("alpha", 0), beta = n.Float("beta", 0);
  const double norm = n.Float("norm_coefficient", 0);
  const bool nesterov = n.String("mode", "standard") == "nesterov";
  const GraphVar rate = n.In(0);
  const DataType dtype = NodeContext::DTypeOf(rate);
  const GraphVar is_later = n.Call("greater", {n.Cast(n.In(1), dtype), n.Scalar(0, dtype)});
  const GraphVar factor = n.Call("where", {is_later, n.Scalar(beta, dtype), n.Scalar(1, dtype)});
  std::vector<std::vector<GraphVar>> rows(2);
  for (size_t i = 0; i < step.count; ++i) {
    const GraphVar x = step.In(0, i);
    const GraphVar g = n.Add(step.Scaled(x, norm), step.In(1, i));
    const GraphVar velocity = n.Add(step.Scaled(step.In(2, i), alpha), n.Mul(factor, g));
    const GraphVar move = nesterov ? n.Add(g, step.Scaled(velocity, alpha)) : velocity;
    rows[0].push_back(n.Sub(x, n.Mul(rate, move)));
    rows[1].push_back(velocity);
  }
  return InOrder(rows);
}

}  // namespace

std::vector<Operator> Losses() {
  return {
      {"NegativeLogLikelihoodLoss", NegativeLogLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", SoftmaxCrossEntropyLoss},
      {"ai.onnx.preview.training.Adagrad", Adagrad},
      {"ai.onnx.preview.training.Adam", Adam},
      {"ai.onnx.preview.training.Momentum", Momentum},
  };
}

}  // namespace lathe::graph::onnx
