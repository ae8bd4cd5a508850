// Operators that TensorFlow's own optimiser makes of several: a product or a norm, and what comes
// behind it.
#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow/products.h"

namespace lathe::graph::tensorflow {
namespace {

// Null if it is no activation.
GraphVar Activated(const NodeContext& n, const GraphVar& x, Text op) {
  if (op == "Relu6") {
    return n.Call("clip", {x}, {{"a_min", FloatAttr(0)}, {"a_max", FloatAttr(6)}});
  }
  if (op == "LeakyRelu") {
    return n.Call("nn.leaky_relu", {x}, {{"alpha", FloatAttr(n.Float("leakyrelu_alpha", 0.2F))}});
  }
  constexpr std::pair<Text, const char*> kSimple[] = {{"Relu", "nn.relu"},
                                                      {"Elu", "nn.elu"},
                                                      {"Tanh", "tanh"},
                                                      {"Sigmoid", "sigmoid"},
                                                      {"GeluApproximate", "nn.gelu_tanh"},
                                                      {"GeluExact", "nn.gelu"}};
  for (const auto& [name, ours] : kSimple) {
    if (op == name) return n.Call(ours, {x});
  }
  return nullptr;
}

// What the attribute `fused_ops` names, in its order. Their operands are inputs from 2 on.
Results WithFused(NodeContext& n, GraphVar y) {
  const Attribute* fused = n.Find("fused_ops");
  if (fused == nullptr || fused->texts.empty()) {
    n.Fail("lacks the attribute `fused_ops`", "names of operators", "nothing");
  }
  size_t next = 2;
  for (const Text op : fused->texts) {
    if (op == "BiasAdd") {
      y = n.Call("nn.bias_add", {y, n.In(next++)}, {{"axis", IntAttr(ChannelAxis(n, y))}});
    } else if (op == "Add") {
      y = n.Add(y, n.In(next++));
    } else if (op == "FusedBatchNorm") {
      y = Normalise(n, y, next);
      next += 4;
    } else if (const GraphVar activated = Activated(n, y, op)) {
      y = activated;
    } else {
      n.Fail("has fused_ops that cannot be imported",
             "BiasAdd, Add, FusedBatchNorm, Relu, Relu6, Elu, LeakyRelu, Tanh, Sigmoid, "
             "GeluApproximate or GeluExact",
             std::string(op));
    }
  }
  if (next != n.inputs.size()) {
    n.Fail("has inputs that its fused_ops do not read", std::to_string(next) + " inputs",
           std::to_string(n.inputs.size()));
  }
  return {y};
}

Results Convolution(NodeContext& n) {
  if (const std::string format = n.String("filter_format", "HWIO"); format != "HWIO") {
    n.Fail("has a filter_format that is not supported", "HWIO", format);
  }
  return WithFused(n, Convolve(n, 2));
}

Results BatchNorm(NodeContext& n) {
  CheckInference(n);
  GraphVar y = Normalise(n, n.In(0), 1);
  const int64_t more = n.Int("num_side_inputs", 0);
  if (more < 0 || more > 1 || n.inputs.size() != 5 + static_cast<size_t>(more)) {
    n.Fail("has a wrong number of side inputs", "0 or 1", std::to_string(more));
  }
  if (more == 1) y = n.Add(y, n.In(5));
  const std::string mode = n.String("activation_mode", "Identity");
  if (mode != "Identity") {
    y = Activated(n, y, mode);
    if (!y) n.Fail("has an activation_mode that cannot be imported", "Identity or Relu", mode);
  }
  return {y, n.In(3), n.In(4), n.In(3), n.In(4), n.In(4)};
}

}  // namespace

std::vector<Conversion> Fused() {
  return {
      {"_FusedConv2D", Convolution},
      {"_FusedDepthwiseConv2dNative",
       [](NodeContext& n) { return WithFused(n, ConvolveDepthwise(n)); }},
      {"_FusedMatMul", [](NodeContext& n) { return WithFused(n, MultiplyMatrices(n)); }},
      {"_FusedBatchNormEx",
       BatchNorm,
       {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2",
        "reserve_space_3"}},
  };
}

}  // namespace lathe::graph::tensorflow
