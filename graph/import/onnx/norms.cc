// Normalisation.
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> axes;
  for (int64_t d = begin; d < end; ++d) axes.push_back(d);
  return axes;
}

GraphVar MeanOf(NodeContext& n, const GraphVar& x, const std::vector<int64_t>& axes) {
  return n.Call("mean", {x}, {{"axis", IntsAttr(axes)}, {"keepdims", BoolAttr(true)}});
}

// 1 / sqrt(x + epsilon).
GraphVar InverseRoot(NodeContext& n, const GraphVar& x, double epsilon) {
  const DataType dtype = NodeContext::DTypeOf(x);
  return n.Call("rsqrt", {n.Add(x, n.Scalar(epsilon, dtype))});
}

Results BatchNormalization(NodeContext& n) {
  const GraphVar x = n.In(0);
  const double epsilon = n.Float("epsilon", 1e-5), momentum = n.Float("momentum", 0.9);
  n.Ignore({"spatial"});
  const bool training = n.Int("training_mode", 0) != 0;
  if (!training) {
    const GraphVar all = n.Call("nn.batch_norm", {x, n.In(1), n.In(2), n.In(3), n.In(4)},
                                {{"epsilon", FloatAttr(epsilon)}});
    return {n.Get(all, 0)};
  }
  // With the mean and variance of this batch; then the running ones.
  std::vector<int64_t> axes{0};
  for (const int64_t d : Range(2, NodeContext::RankOf(x))) axes.push_back(d);
  const GraphVar mean = n.Call("mean", {x}, {{"axis", IntsAttr(axes)}});
  const GraphVar variance = n.Call("variance", {x}, {{"axis", IntsAttr(axes)}});
  const GraphVar all = n.Call("nn.batch_norm", {x, n.In(1), n.In(2), mean, variance},
                              {{"epsilon", FloatAttr(epsilon)}});
  const auto running = [&](size_t input, const GraphVar& now) {
    const DataType dtype = NodeContext::DTypeOf(now);
    return n.Add(n.Mul(n.In(input), n.Scalar(momentum, dtype)),
                 n.Mul(now, n.Scalar(1 - momentum, dtype)));
  };
  return {n.Get(all, 0), running(3, mean), running(4, variance)};
}

Results InstanceNormalization(NodeContext& n) {
  return {n.Call("nn.instance_norm", {n.In(0), n.In(1), n.In(2)},
                 {{"epsilon", FloatAttr(n.Float("epsilon", 1e-5))}})};
}

// Computed in float32 if the elements are smaller (stash_type).
Results LayerNormalization(NodeContext& n) {
  const GraphVar given = n.In(0);
  const DataType type = NodeContext::DTypeOf(given);
  const DataType work = type.bits() < 32 ? DataType::Float(32) : type;
  n.Ignore({"stash_type"});
  const int64_t rank = NodeContext::RankOf(given);
  const int64_t axis = n.Axis(n.Int("axis", -1), rank);
  const double epsilon = n.Float("epsilon", 1e-5);
  const GraphVar x = n.Cast(given, work);
  if (axis == rank - 1 && !n.Wants(1) && !n.Wants(2) && n.Has(2) &&
      NodeContext::RankOf(n.In(1)) == 1 && NodeContext::RankOf(n.In(2)) == 1) {
    return {n.Cast(n.Call("nn.layer_norm", {x, n.Cast(n.In(1), work), n.Cast(n.In(2), work)},
                          {{"epsilon", FloatAttr(epsilon)}}),
                   type)};
  }
  const std::vector<int64_t> axes = Range(axis, rank);
  const GraphVar mean = MeanOf(n, x, axes);
  const GraphVar distance = n.Sub(x, mean);
  const GraphVar inverse = InverseRoot(n, MeanOf(n, n.Mul(distance, distance), axes), epsilon);
  GraphVar y = n.Mul(n.Cast(n.Mul(distance, inverse), type), n.In(1));
  if (n.Has(2)) y = n.Add(y, n.In(2));
  return {y, mean, inverse};
}

Results RMSNormalization(NodeContext& n) {
  const GraphVar given = n.In(0);
  const DataType type = NodeContext::DTypeOf(given);
  const DataType work = type.bits() < 32 ? DataType::Float(32) : type;
  n.Ignore({"stash_type"});
  const int64_t rank = NodeContext::RankOf(given);
  const int64_t axis = n.Axis(n.Int("axis", -1), rank);
  const GraphVar x = n.Cast(given, work);
  const GraphVar inverse =
      InverseRoot(n, MeanOf(n, n.Mul(x, x), Range(axis, rank)), n.Float("epsilon", 1e-5));
  return {n.Mul(n.Cast(n.Mul(x, inverse), type), n.In(1))};
}

// From opset 21 on scale and bias are per channel, before per group.
Results GroupNormalization(NodeContext& n) {
  const GraphVar x = n.In(0);
  n.Ignore({"stash_type"});
  const int64_t groups = n.Int("num_groups", 1);
  GraphVar scale = n.In(1), bias = n.In(2);
  if (n.opset < 21) {
    const Expr channels = NodeContext::ShapeOf(x)[1];
    const int64_t* count = ir::AsConstInt(channels);
    if (count == nullptr || groups < 1 || *count % groups != 0) {
      n.Fail("has channels that are no multiple of its groups", std::to_string(groups),
             TypeText(x->type));
    }
    const auto spread = [&](const GraphVar& v) {
      return n.Call("repeat", {v}, {{"repeats", IntAttr(*count / groups)}, {"axis", IntAttr(0)}});
    };
    scale = spread(scale);
    bias = spread(bias);
  }
  return {
      n.Call("nn.group_norm", {x, scale, bias},
             {{"num_groups", IntAttr(groups)}, {"epsilon", FloatAttr(n.Float("epsilon", 1e-5))}})};
}

Results LRN(NodeContext& n) {
  return {n.Call("nn.lrn", {n.In(0)},
                 {{"size", IntAttr(n.Int("size", 1))},
                  {"bias", FloatAttr(n.Float("bias", 1))},
                  {"alpha", FloatAttr(n.Float("alpha", 1e-4))},
                  {"beta", FloatAttr(n.Float("beta", 0.75))}})};
}

Results LpNormalization(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t p = n.Int("p", 2);
  if (p != 1 && p != 2) n.FailAttribute("p", "is out of range", "1 or 2", std::to_string(p));
  const GraphVar norm =
      n.Call(p == 1 ? "norm_l1" : "norm_l2", {x},
             {{"axis", IntsAttr({n.Axis(n.Int("axis", -1), NodeContext::RankOf(x))})},
              {"keepdims", BoolAttr(true)}});
  const GraphVar none = n.Scalar(0, NodeContext::DTypeOf(x));
  // Zeros have no direction; they stay.
  return {n.Call("where", {n.Call("equal", {norm, none}), none, n.Div(x, norm)})};
}

// (x - mean) / (standard deviation + 1e-9).
Results MeanVarianceNormalization(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<int64_t> axes = n.Axes(n.Ints("axes", {0, 2, 3}), NodeContext::RankOf(x));
  const GraphVar mean = MeanOf(n, x, axes);
  // Not E(x^2) - mean^2, which cancels.
  const GraphVar centred = n.Sub(x, mean);
  const GraphVar variance = MeanOf(n, n.Mul(centred, centred), axes);
  const GraphVar deviation =
      n.Add(n.Call("sqrt", {variance}), n.Scalar(1e-9, NodeContext::DTypeOf(x)));
  return {n.Div(centred, deviation)};
}

// Does nothing in inference; the mask says that all elements stay.
Results Dropout(NodeContext& n) {
  const GraphVar x = n.In(0);
  n.Ignore({"seed", "ratio"});
  if (n.Has(2)) {
    const std::optional<TensorValue> training = n.Known(2);
    const std::optional<TensorValue> ratio = n.Known(1);
    if (!training) n.FailValue(2, "training_mode");
    const bool trains = IntsOf(*training)[0] != 0;
    if (trains && n.Has(1) && !ratio) n.FailValue(1, "ratio");
    const bool drops = !n.Has(1) || FloatsOf(*ratio)[0] != 0;
    if (trains && drops) {
      n.Fail("is in training mode", "inference", "training_mode = true",
             "export the model for inference");
    }
  }
  const GraphVar y = n.Call("identity", {x});
  if (!n.Wants(1)) return {y};
  return {y,
          n.Call("ones", {},
                 {{"shape", ShapeAttr(NodeContext::ShapeOf(x))}, {"dtype", StringAttr("bool")}})};
}

}  // namespace

std::vector<Operator> Norms() {
  return {
      {"BatchNormalization", BatchNormalization},
      {"Dropout", Dropout},
      {"GroupNormalization", GroupNormalization},
      {"InstanceNormalization", InstanceNormalization},
      {"LRN", LRN},
      {"LayerNormalization", LayerNormalization},
      {"LpNormalization", LpNormalization},
      {"MeanVarianceNormalization", MeanVarianceNormalization},
      {"RMSNormalization", RMSNormalization},
      // Before RMSNormalization was one of ONNX's, ONNX Runtime wrote this into its domain.
      {"SimplifiedLayerNormalization", RMSNormalization},
  };
}

}  // namespace lathe::graph::onnx
