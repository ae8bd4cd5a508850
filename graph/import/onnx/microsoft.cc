// Operators of com.microsoft that ONNX Runtime's optimizer and exporters write: fused ones, and
// older or other forms of ONNX's own.
#include <algorithm>

#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/windows.h"

namespace lathe::graph::onnx {
namespace {

// -- Operators that are ONNX's own, by the rules of one version.

Operator Like(std::string name, std::string own, int64_t opset) {
  return {std::move(name),
          [own, opset](NodeContext& n) { return ConvertAs(n, own, opset, n.inputs); }};
}

// The same with the channels last: [n, ..., channels].
Operator ChannelsLast(std::string name, std::string own, int64_t opset) {
  return {std::move(name), [own, opset](NodeContext& n) -> Results {
            std::vector<Value> inputs = n.inputs;
            inputs[0] = ChannelsToFront(n, n.In(0));
            return {ChannelsToBack(n, ConvertAs(n, own, opset, std::move(inputs))[0].tensor)};
          }};
}

// -- Activations.

GraphVar GeluOf(const NodeContext& n, const GraphVar& x, bool fast = false) {
  return n.Call(fast ? "nn.gelu_tanh" : "nn.gelu", {x});
}

Results Gelu(NodeContext& n) { return {GeluOf(n, n.In(0))}; }
Results BiasGelu(NodeContext& n) { return {GeluOf(n, n.Add(n.In(0), n.In(1)))}; }
Results FastGelu(NodeContext& n) {
  return {GeluOf(n, n.Has(1) ? n.Add(n.In(0), n.In(1)) : n.In(0), true)};
}

Results QuickGelu(NodeContext& n) {
  const GraphVar x = n.In(0);
  const GraphVar alpha = n.Scalar(n.Float("alpha", 1.702), NodeContext::DTypeOf(x));
  return {n.Mul(x, n.Call("sigmoid", {n.Mul(x, alpha)}))};
}

// The left half, times the Gelu of the right one.
Results BiasSplitGelu(NodeContext& n) {
  const GraphVar x = n.Add(n.In(0), n.In(1));
  const int64_t axis = NodeContext::RankOf(x) - 1;
  const Expr whole = NodeContext::ShapeOf(x)[static_cast<size_t>(axis)];
  const Expr half = ir::FloorDivide(whole, Int64(2));
  return {n.Mul(n.Slice(x, axis, Int64(0), half), GeluOf(n, n.Slice(x, axis, half, whole)))};
}

// An activation that an operator has inside; `params` are its numbers, which may be left out.
GraphVar Activate(NodeContext& n, const std::string& name, const GraphVar& x,
                  const std::vector<double>& params) {
  const auto number = [&](size_t i, double fallback) {
    return FloatAttr(i < params.size() ? params[i] : fallback);
  };
  if (name.empty()) return x;
  if (name == "Relu") return n.Call("nn.relu", {x});
  if (name == "Sigmoid") return n.Call("sigmoid", {x});
  if (name == "Tanh") return n.Call("tanh", {x});
  if (name == "HardSwish") return n.Call("nn.hard_swish", {x});
  if (name == "Elu") return n.Call("nn.elu", {x}, {{"alpha", number(0, 1)}});
  if (name == "LeakyRelu") return n.Call("nn.leaky_relu", {x}, {{"alpha", number(0, 0.01)}});
  if (name == "HardSigmoid") {
    return n.Call("nn.hard_sigmoid", {x}, {{"alpha", number(0, 0.2)}, {"beta", number(1, 0.5)}});
  }
  if (name == "Clip" && params.size() == 2) {
    return n.Call("clip", {x}, {{"a_min", number(0, 0)}, {"a_max", number(1, 0)}});
  }
  n.FailAttribute("activation", "is not supported",
                  "Relu, LeakyRelu, Sigmoid, Tanh, Clip, Elu, HardSigmoid or HardSwish", name);
}

// The numbers of an activation that are attributes of their own.
std::vector<double> ActivationNumbers(const NodeContext& n) {
  std::vector<double> numbers;
  for (const char* name : {"activation_alpha", "activation_beta"}) {
    if (n.Has(name)) numbers.push_back(n.Float(name, 0));
  }
  n.Ignore({"activation_gamma", "activation_axis"});  // of activations that are refused
  return numbers;
}

// -- Products.

GraphVar Product(NodeContext& n) {
  const auto operand = [&](size_t i, const char* attribute) {
    const GraphVar x = n.In(i);
    const int64_t rank = NodeContext::RankOf(x);
    if (n.Int(attribute, 0) == 0 || rank < 2) return x;
    // [rows, batch..., columns]: the rows come behind the batch.
    std::vector<int64_t> order;
    for (int64_t d = 1; d + 1 < rank; ++d) order.push_back(d);
    order.insert(order.end(), {0, rank - 1});
    return n.Transpose(x, order);
  };
  const GraphVar a = operand(0, "transBatchA"), b = operand(1, "transBatchB");
  const bool turns_a = n.Int("transA", 0) != 0 && NodeContext::RankOf(a) > 1;
  const bool turns_b = n.Int("transB", 0) != 0 && NodeContext::RankOf(b) > 1;
  const GraphVar y = n.Call(
      "matmul", {a, b}, {{"transpose_a", BoolAttr(turns_a)}, {"transpose_b", BoolAttr(turns_b)}});
  const double alpha = n.Float("alpha", 1);
  return alpha == 1 ? y : n.Mul(y, n.Scalar(alpha, NodeContext::DTypeOf(y)));
}

Results FusedMatMul(NodeContext& n) { return {Product(n)}; }

Results FusedMatMulActivation(NodeContext& n) {
  return {Activate(n, n.String("activation", ""), Product(n), ActivationNumbers(n))};
}

Results FusedGemm(NodeContext& n) {
  const GraphVar y = ConvertAs(n, "Gemm", 13, n.inputs)[0].tensor;
  return {Activate(n, n.String("activation", ""), y, ActivationNumbers(n))};
}

// Z is added before the activation.
GraphVar ConvolveAndActivate(NodeContext& n, bool channels_last) {
  std::vector<Value> inputs = n.inputs;
  inputs.resize(3);
  if (channels_last) inputs[0] = ChannelsToFront(n, n.In(0));
  GraphVar y = ConvertAs(n, "Conv", 22, std::move(inputs))[0].tensor;
  if (channels_last) y = ChannelsToBack(n, y);
  if (n.Has(3)) y = n.Add(y, n.In(3));
  return Activate(n, n.String("activation", ""), y, n.Floats("activation_params"));
}

Results FusedConv(NodeContext& n) { return {ConvolveAndActivate(n, false)}; }
Results NhwcFusedConv(NodeContext& n) { return {ConvolveAndActivate(n, true)}; }

// -- Normalisation.

// Computed in float32 if the elements are smaller. `beta` may be null; `squares`: by the mean of
// the squares, without that of the elements.
GraphVar Normalised(const NodeContext& n, const GraphVar& x, const GraphVar& gamma,
                    const GraphVar& beta, double epsilon, bool squares) {
  const DataType type = NodeContext::DTypeOf(x);
  const DataType work = type.bits() < 32 ? DataType::Float(32) : type;
  const GraphVar wide = n.Cast(x, work), scale = n.Cast(gamma, work);
  if (squares) {
    return n.Cast(n.Call("nn.rms_norm", {wide, scale}, {{"epsilon", FloatAttr(epsilon)}}), type);
  }
  const GraphVar shift = beta ? n.Cast(beta, work) : n.Call("zeros_like", {scale});
  return n.Cast(n.Call("nn.layer_norm", {wide, scale, shift}, {{"epsilon", FloatAttr(epsilon)}}),
                type);
}

constexpr double kEpsilon = 1e-12;

// Results 1 and 2 exist while a model is trained only.
Results SumAndNormalised(NodeContext& n, const GraphVar& sum, const GraphVar& y) {
  if (n.Wants(1) || n.Wants(2)) {
    n.Fail("has an output that is not supported here", "outputs 0 and 3", "the mean or deviation",
           "export the model for inference");
  }
  return {y, {}, {}, sum};
}

Results SkipLayerNormalization(NodeContext& n) {
  GraphVar sum = n.Add(n.In(0), n.In(1));
  if (n.Has(4)) sum = n.Add(sum, n.In(4));
  const GraphVar beta = n.Has(3) ? n.In(3) : GraphVar();
  return SumAndNormalised(n, sum,
                          Normalised(n, sum, n.In(2), beta, n.Float("epsilon", kEpsilon), false));
}

Results SkipSimplifiedLayerNormalization(NodeContext& n) {
  GraphVar sum = n.Add(n.In(0), n.In(1));
  if (n.Has(3)) sum = n.Add(sum, n.In(3));
  return SumAndNormalised(n, sum,
                          Normalised(n, sum, n.In(2), {}, n.Float("epsilon", kEpsilon), true));
}

// The embeddings of words, places and segments, and how many words the mask leaves.
Results EmbedLayerNormalization(NodeContext& n) {
  const GraphVar ids = n.In(0);
  const auto rows = [&](size_t table, const GraphVar& of) {
    return n.Call("take", {n.In(table), of}, {{"axis", IntAttr(0)}});
  };
  const std::vector<Expr> shape = NodeContext::ShapeOf(ids);
  const GraphVar places =
      n.Has(8) ? n.In(8)
               : n.Call("arange", {},
                        {{"stop", ShapeAttr({shape.at(1)})}, {"dtype", StringAttr("int64")}});
  GraphVar sum = n.Add(rows(2, ids), rows(3, places));
  if (n.Has(4) && n.Has(1)) sum = n.Add(sum, rows(4, n.In(1)));
  const GraphVar y = Normalised(n, sum, n.In(5), n.In(6), n.Float("epsilon", kEpsilon), false);
  n.Ignore({"mask_index_type"});
  const DataType index = DataType::Int(32);
  const GraphVar words =
      n.Has(7)
          ? n.Call("sum", {n.Cast(n.Call("equal", {n.In(7), n.Scalar(1, index)}), index)},
                   {{"axis", IntsAttr({1})}})
          : n.Call("zeros", {},
                   {{"shape", ShapeAttr({shape[0]})}, {"dtype", StringAttr(index.ToString())}});
  return {y, words, sum};
}

Results BiasAdd(NodeContext& n) { return {n.Add(n.Add(n.In(0), n.In(1)), n.In(2))}; }

// -- Places and regions.

Results CropAndResize(NodeContext& n) {
  const std::string mode = n.String("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest") {
    n.FailAttribute("mode", "is out of range", "bilinear or nearest", mode);
  }
  return {n.Call("image.crop_and_resize", {n.In(0), n.In(1), n.In(2)},
                 {{"crop_size", ShapeAttr(n.Extents(3, "crop_size"))},
                  {"method", StringAttr(mode == "nearest" ? "nearest_neighbor" : "bilinear")},
                  {"extrapolation_value", FloatAttr(n.Float("extrapolation_value", 0))}})};
}

Results ExpandDims(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  return {n.ExpandDims(x, n.Axis(n.Int(1, "axis"), rank + 1))};
}

Results Range(NodeContext& n) {
  std::vector<Value> inputs = n.inputs;
  inputs.resize(3);
  if (!n.Has(2)) inputs[2] = n.Scalar(1, NodeContext::DTypeOf(n.In(0)));
  for (Value& input : inputs) {
    if (NodeContext::RankOf(input.tensor) != 0) input = n.Reshape(input.tensor, {});
  }
  return ConvertAs(n, "Range", 11, std::move(inputs));
}

// In the order in which they occur.
Results Unique(NodeContext& n) {
  const GraphVar all = n.Call("unique", {n.In(0)},
                              {{"is_sorted", BoolAttr(false)},
                               {"return_counts", BoolAttr(true)},
                               {"dtype", StringAttr("int64")}});
  return {n.Get(all, 0), n.Field(all, 2, n.name()), n.Field(all, 3, n.name())};
}

}  // namespace

std::vector<Operator> Microsoft() {
  return {
      ChannelsLast("com.microsoft.NhwcConv", "Conv", 22),
      ChannelsLast("com.microsoft.NhwcMaxPool", "MaxPool", 22),
      Like("com.microsoft.GatherND", "GatherND", 11),
      Like("com.microsoft.GridSample", "GridSample", 16),
      Like("com.microsoft.Pad", "Pad", 13),
      Like("com.microsoft.SimplifiedLayerNormalization", "SimplifiedLayerNormalization", 1),
      Like("com.microsoft.Trilu", "Trilu", 14),
      {"com.microsoft.BiasAdd", BiasAdd},
      {"com.microsoft.BiasGelu", BiasGelu},
      {"com.microsoft.BiasSplitGelu", BiasSplitGelu},
      {"com.microsoft.CropAndResize", CropAndResize},
      {"com.microsoft.EmbedLayerNormalization", EmbedLayerNormalization},
      {"com.microsoft.ExpandDims", ExpandDims},
      {"com.microsoft.FastGelu", FastGelu},
      {"com.microsoft.FusedConv", FusedConv},
      {"com.microsoft.FusedGemm", FusedGemm},
      {"com.microsoft.FusedMatMul", FusedMatMul},
      {"com.microsoft.FusedMatMulActivation", FusedMatMulActivation},
      {"com.microsoft.Gelu", Gelu},
      {"com.microsoft.NhwcFusedConv", NhwcFusedConv},
      {"com.microsoft.QuickGelu", QuickGelu},
      {"com.microsoft.Range", Range},
      {"com.microsoft.SkipLayerNormalization", SkipLayerNormalization},
      {"com.microsoft.SkipSimplifiedLayerNormalization", SkipSimplifiedLayerNormalization},
      {"com.microsoft.TransposeMatMul", FusedMatMul},
      {"com.microsoft.Unique", Unique},
  };
}

}  // namespace lathe::graph::onnx
