// Activations of networks.
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

Operator Same(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results { return {n.Call(ours, {n.In(0)})}; }};
}

// One with a float attribute `alpha`.
Operator WithAlpha(std::string name, std::string ours, double fallback) {
  return {std::move(name), [ours, fallback](NodeContext& n) -> Results {
            return {n.Call(ours, {n.In(0)}, {{"alpha", FloatAttr(n.Float("alpha", fallback))}})};
          }};
}

Results Selu(NodeContext& n) {
  return {n.Call("nn.selu", {n.In(0)},
                 {{"alpha", FloatAttr(n.Float("alpha", 1.67326319217681884765625))},
                  {"gamma", FloatAttr(n.Float("gamma", 1.05070102214813232421875))}})};
}

Results HardSigmoid(NodeContext& n) {
  return {n.Call(
      "nn.hard_sigmoid", {n.In(0)},
      {{"alpha", FloatAttr(n.Float("alpha", 0.2))}, {"beta", FloatAttr(n.Float("beta", 0.5))}})};
}

Results PRelu(NodeContext& n) {
  const GraphVar x = n.In(0);
  const GraphVar zero = n.Scalar(0, NodeContext::DTypeOf(x));
  return {n.Call("where", {n.Call("less", {x, zero}), n.Mul(x, n.In(1)), x})};
}

Results Shrink(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType dtype = NodeContext::DTypeOf(x);
  const double limit = n.Float("lambd", 0.5), bias = n.Float("bias", 0);
  const GraphVar low = n.Scalar(-limit, dtype), high = n.Scalar(limit, dtype);
  const GraphVar shift = n.Scalar(bias, dtype), zero = n.Scalar(0, dtype);
  const GraphVar above = n.Call("where", {n.Call("greater", {x, high}), n.Sub(x, shift), zero});
  return {n.Call("where", {n.Call("less", {x, low}), n.Add(x, shift), above})};
}

Results Gelu(NodeContext& n) {
  const std::string how = n.String("approximate", "none");
  if (how != "none" && how != "tanh") {
    n.FailAttribute("approximate", "is out of range", "none or tanh", how);
  }
  return {n.Call(how == "none" ? "nn.gelu" : "nn.gelu_tanh", {n.In(0)})};
}

GraphVar SwishOf(NodeContext& n, const GraphVar& x) {
  const double alpha = n.Float("alpha", 1);
  if (alpha == 1) return n.Call("nn.silu", {x});
  const GraphVar scaled = n.Mul(x, n.Scalar(alpha, NodeContext::DTypeOf(x)));
  return n.Mul(x, n.Call("sigmoid", {scaled}));
}

Results Swish(NodeContext& n) { return {SwishOf(n, n.In(0))}; }
Results SwiGLU(NodeContext& n) { return {n.Mul(SwishOf(n, n.In(0)), n.In(1))}; }

// Before opset 13 the dimensions from `axis` on were one.
Operator AlongAxis(std::string name, std::function<GraphVar(NodeContext&, GraphVar, int64_t)> map) {
  return {std::move(name), [map = std::move(map)](NodeContext& n) -> Results {
            const GraphVar x = n.In(0);
            const int64_t rank = NodeContext::RankOf(x);
            const int64_t axis = n.Axis(n.Int("axis", n.opset < 13 ? 1 : -1), rank);
            if (n.opset >= 13 || axis == rank - 1) return {map(n, x, axis)};
            const std::vector<Expr> shape = NodeContext::ShapeOf(x);
            const auto at = static_cast<size_t>(axis);
            const GraphVar flat =
                n.Reshape(x, {ProductOf(shape, 0, at), ProductOf(shape, at, shape.size())});
            return {n.Reshape(map(n, flat, 1), shape)};
          }};
}

GraphVar Softmax(NodeContext& n, const GraphVar& x, int64_t axis) {
  return n.Call("nn.softmax", {x}, {{"axis", IntAttr(axis)}});
}

GraphVar LogSoftmax(NodeContext& n, const GraphVar& x, int64_t axis) {
  return n.Call("nn.log_softmax", {x}, {{"axis", IntAttr(axis)}});
}

// 1 at the first of the greatest elements.
GraphVar Hardmax(NodeContext& n, const GraphVar& x, int64_t axis) {
  const DataType dtype = NodeContext::DTypeOf(x);
  const GraphVar place = n.Call("argmax", {x}, {{"axis", IntsAttr({axis})}});
  return n.Call("one_hot", {place, n.Scalar(1, dtype), n.Scalar(0, dtype)},
                {{"depth", ShapeAttr({NodeContext::ShapeOf(x)[static_cast<size_t>(axis)]})},
                 {"axis", IntAttr(axis)},
                 {"dtype", StringAttr(dtype.ToString())}});
}

}  // namespace

std::vector<Operator> Activations() {
  return {
      AlongAxis("Hardmax", Hardmax),
      AlongAxis("LogSoftmax", LogSoftmax),
      AlongAxis("Softmax", Softmax),
      Same("HardSwish", "nn.hard_swish"),
      Same("Mish", "nn.mish"),
      Same("Relu", "nn.relu"),
      Same("Sigmoid", "sigmoid"),
      Same("Softplus", "nn.softplus"),
      Same("Softsign", "nn.softsign"),
      WithAlpha("Celu", "nn.celu", 1),
      WithAlpha("Elu", "nn.elu", 1),
      WithAlpha("LeakyRelu", "nn.leaky_relu", 0.01),
      WithAlpha("ThresholdedRelu", "nn.thresholded_relu", 1),
      {"Gelu", Gelu},
      {"HardSigmoid", HardSigmoid},
      {"PRelu", PRelu},
      {"Selu", Selu},
      {"Shrink", Shrink},
      {"SwiGLU", SwiGLU},
      {"Swish", Swish},
  };
}

}  // namespace lathe::graph::onnx
