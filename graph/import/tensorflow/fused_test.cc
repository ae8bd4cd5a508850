// Fused operators compute what their parts compute one after the other.
#include "graph/import/tensorflow/import_checks.h"
#include "gtest/gtest.h"

namespace lathe::graph::tensorflow {
namespace {

using Numbers = std::vector<float>;

Numbers Some(int64_t count) {
  Numbers values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 37 + i * i * 11) % 101) / 25 - 2);
  }
  return values;
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

// A product of `x` and `w`, and rows of `channels` numbers: a bias, and the statistics of a norm.
struct Product {
  std::string op;
  std::vector<int64_t> x, w;
  int64_t channels;
  std::vector<std::string> attributes;
};

std::vector<TestNode> Inputs(const Product& p) {
  const auto row = [&](const char* name, float first) {
    Numbers values;
    for (int64_t i = 0; i < p.channels; ++i) values.push_back(first + static_cast<float>(i) / 4);
    return Floats(name, {p.channels}, values);
  };
  return {Input("x", p.x),         Floats("w", p.w, Some(CountOf(p.w))),
          row("bias", -0.5F),      row("scale", 0.75F),
          row("offset", 0.25F),    row("mean", -0.25F),
          row("variance", 0.125F), Floats("whole", {}, {3})};
}

Numbers Result(const Product& p, std::vector<TestNode> nodes) {
  std::vector<TestNode> all = Inputs(p);
  all.insert(all.end(), nodes.begin(), nodes.end());
  return ResultOf(Import(GraphBytes(all), {.outputs = {"y"}}),
                  {FloatTensor(Some(CountOf(p.x)), p.x)});
}

std::string Fused(const Product& p, const std::vector<std::string>& operands,
                  const std::vector<std::string>& fused_ops,
                  const std::vector<std::string>& more = {}) {
  std::vector<TestNode> nodes = Inputs(p);
  TestNode node{"y", "_Fused" + p.op, {"x", "w"}, p.attributes};
  node.inputs.insert(node.inputs.end(), operands.begin(), operands.end());
  node.attributes.push_back(TextsOf("fused_ops", fused_ops));
  node.attributes.insert(node.attributes.end(), more.begin(), more.end());
  nodes.push_back(node);
  return GraphBytes(nodes);
}

Numbers FusedResult(const Product& p, const std::vector<std::string>& operands,
                    const std::vector<std::string>& fused_ops,
                    const std::vector<std::string>& more = {}) {
  return ResultOf(Import(Fused(p, operands, fused_ops, more)),
                  {FloatTensor(Some(CountOf(p.x)), p.x)});
}

const std::vector<std::string> kSame{TextOf("padding", "SAME"), IntsOf("strides", {1, 2, 2, 1})};
const std::vector<std::string> kFirst{TextOf("padding", "VALID"), IntsOf("strides", {1, 1, 1, 1}),
                                      TextOf("data_format", "NCHW")};
const std::vector<Product> kProducts{
    {"Conv2D", {1, 5, 4, 3}, {3, 3, 3, 4}, 4, kSame},
    {"Conv2D", {1, 3, 5, 4}, {3, 3, 3, 4}, 4, kFirst},
    {"DepthwiseConv2dNative", {1, 5, 4, 3}, {3, 3, 3, 2}, 6, kSame},
    {"MatMul", {2, 3}, {4, 3}, 4, {BoolOf("transpose_b", true)}}};

TEST(Fused, ABiasAndAnActivation) {
  for (const Product& p : kProducts) {
    std::vector<std::string> of_bias, of_leaky{FloatOf("alpha", 0.375F)};
    if (p.attributes == kFirst) of_bias.push_back(TextOf("data_format", "NCHW"));
    const TestNode product{"p", p.op, {"x", "w"}, p.attributes};
    const TestNode biased{"y", "BiasAdd", {"p", "bias"}, of_bias};
    EXPECT_EQ(FusedResult(p, {"bias"}, {"BiasAdd"}), Result(p, {product, biased}));
    TestNode before = biased;
    before.name = "b";
    for (const char* op : {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid"}) {
      const bool is_leaky = std::string(op) == "LeakyRelu";
      const TestNode activation{"y", op, {"b"}, is_leaky ? of_leaky : std::vector<std::string>{}};
      EXPECT_EQ(FusedResult(p, {"bias"}, {"BiasAdd", op}, {FloatOf("leakyrelu_alpha", 0.375F)}),
                Result(p, {product, before, activation}))
          << p.op << " " << op;
    }
    EXPECT_EQ(FusedResult(p, {"bias", "whole"}, {"BiasAdd", "Add", "Relu"}),
              Result(p, {product, before, {"a", "AddV2", {"b", "whole"}}, {"y", "Relu", {"a"}}}));
    for (const char* op : {"GeluExact", "GeluApproximate"}) {
      EXPECT_NE(FusedResult(p, {"bias"}, {"BiasAdd", op}), FusedResult(p, {"bias"}, {"BiasAdd"}));
    }
  }
}

TEST(Fused, ANormBehindAConvolution) {
  for (const Product& p : kProducts) {
    if (p.op == "MatMul") continue;
    std::vector<std::string> attributes{FloatOf("epsilon", 0.5F), BoolOf("is_training", false)};
    if (p.attributes == kFirst) attributes.push_back(TextOf("data_format", "NCHW"));
    const std::vector<std::string> rows{"scale", "offset", "mean", "variance"};
    const TestNode product{"p", p.op, {"x", "w"}, p.attributes};
    const TestNode norm{
        "n", "FusedBatchNormV3", {"p", "scale", "offset", "mean", "variance"}, attributes};
    EXPECT_EQ(FusedResult(p, rows, {"FusedBatchNorm", "Relu"}, {FloatOf("epsilon", 0.5F)}),
              Result(p, {product, norm, {"y", "Relu", {"n"}}}));
  }
}

std::string Norm(const std::vector<std::string>& more, std::vector<std::string> attributes) {
  const Product p{"", {1, 2, 2, 3}, {1}, 3, {}};
  std::vector<TestNode> nodes = Inputs(p);
  TestNode node{"y",
                "_FusedBatchNormEx",
                {"x", "scale", "offset", "mean", "variance"},
                std::move(attributes)};
  node.inputs.insert(node.inputs.end(), more.begin(), more.end());
  nodes.push_back(node);
  return GraphBytes(nodes);
}

TEST(Fused, ANormWithASideInput) {
  const Product p{"", {1, 2, 2, 3}, {1}, 3, {}};
  const auto inference = BoolOf("is_training", false);
  const TestNode norm{
      "n", "FusedBatchNormV3", {"x", "scale", "offset", "mean", "variance"}, {inference}};
  const auto result = [&](const std::string& model) {
    return ResultOf(Import(model, {.outputs = {"y"}}), {FloatTensor(Some(12), p.x)});
  };
  EXPECT_EQ(result(Norm({}, {inference, TextOf("activation_mode", "Relu")})),
            Result(p, {norm, {"y", "Relu", {"n"}}}));
  EXPECT_EQ(result(Norm({"x"}, {inference, IntOf("num_side_inputs", 1)})),
            Result(p, {norm, {"y", "AddV2", {"n", "x"}}}));
  EXPECT_TRUE(Has(ErrorOf(Norm({}, {})), "statistics of its batch"));
  EXPECT_TRUE(Has(ErrorOf(Norm({"x"}, {inference})), "side inputs"));
  EXPECT_TRUE(Has(ErrorOf(Norm({}, {inference, TextOf("activation_mode", "Cosine")})),
                  "an activation_mode that cannot be imported"));
}

TEST(Fused, WhatIsRefused) {
  const Product& p = kProducts[0];
  const std::string unknown = ErrorOf(Fused(p, {"bias"}, {"BiasAdd", "Cosine"}));
  EXPECT_TRUE(Has(unknown, "fused_ops that cannot be imported") && Has(unknown, "Cosine"));
  EXPECT_TRUE(Has(ErrorOf(Fused(p, {"bias"}, {})), "lacks the attribute `fused_ops`"));
  EXPECT_TRUE(Has(ErrorOf(Fused(p, {}, {"BiasAdd"})), "lacks input 2"));
  EXPECT_TRUE(Has(ErrorOf(Fused(p, {"bias", "bias"}, {"BiasAdd"})), "do not read"));
  EXPECT_TRUE(Has(ErrorOf(Fused(p, {"bias"}, {"BiasAdd"}, {TextOf("filter_format", "OIHW")})),
                  "filter_format"));
}

}  // namespace
}  // namespace lathe::graph::tensorflow
