// Operators of com.microsoft, and of ONNX that they have parts in common with: results that are
// known, and what is refused. tools/try_onnxruntime compares many more with ONNX Runtime.
#include "base/error.h"
#include "graph/builder.h"
#include "graph/import/onnx/test_nodes.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

std::string ErrorOf(const TestNode& node, const std::vector<Given>& inputs) {
  try {
    ImportNode(node, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TestNode Microsoft(const std::string& op, std::vector<std::string> inputs,
                   std::vector<std::string> attributes = {},
                   std::vector<std::string> outputs = {"y"}) {
  return {op, std::move(inputs), std::move(outputs), std::move(attributes), "com.microsoft"};
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using Row = std::vector<float>;

// -- com.microsoft.

TEST(Microsoft, RulesOfAnotherOperatorsVersion) {
  // The domain's opset is 1, but Pad has its widths as an input.
  const Row padded =
      ResultsOf(Microsoft("Pad", {"a", "w"}), {{{1, 2}, {2}}}, {IntTensor("w", {1, 2})})[0];
  EXPECT_EQ(padded, (Row{0, 1, 2, 0, 0}));
}

TEST(Microsoft, ProductsWithTheBatchBehindTheRows) {
  // [rows, batch, columns] times [batch, columns, 1].
  const Row y =
      ResultsOf(Microsoft("FusedMatMul", {"a", "b"},
                          {IntAttribute("transBatchA", 1), FloatAttribute("alpha", 0.5F)}),
                {{{1, 2, 3, 4}, {2, 2, 1}}, {{10, 100}, {2, 1, 1}}})[0];
  EXPECT_EQ(y, (Row{5, 15, 100, 200}));
}

TEST(Microsoft, ActivationsInside) {
  const Given x{{1, -2}, {1, 1, 2}}, filter{{1}, {1, 1, 1}}, sum{{1, 1}, {1, 1, 2}};
  const TestNode node =
      Microsoft("FusedConv", {"a", "b", "", "c"}, {StringAttribute("activation", "LeakyRelu")});
  EXPECT_NEAR(ResultsOf(node, {x, filter, sum})[0][1], -0.01, 1e-6);
  const TestNode other =
      Microsoft("FusedConv", {"a", "b"}, {StringAttribute("activation", "Gelu")});
  EXPECT_TRUE(Has(ErrorOf(other, {x, filter}), "`activation` of node `y`"));
}

TEST(Microsoft, TheSumThatIsNormalised) {
  const TestNode node = Microsoft("SkipLayerNormalization", {"a", "b", "c"},
                                  {FloatAttribute("epsilon", 0)}, {"y", "", "", "s"});
  const auto results = ResultsOf(node, {{{1, 2}, {1, 1, 2}}, {{0, 1}, {1, 1, 2}}, {{2, 2}, {2}}});
  EXPECT_NEAR(results[0][0], -2, 1e-5);
  EXPECT_NEAR(results[0][1], 2, 1e-5);
  EXPECT_EQ(results[1], (Row{1, 3}));
}

TEST(Microsoft, WordsThatAMaskLeaves) {
  const TestNode node = Microsoft("EmbedLayerNormalization", {"a", "", "b", "c", "", "d", "e", "f"},
                                  {}, {"y", "n", "s"});
  const ImportedModel model = ImportNode(node, {{{1, 0}, {1, 2}, kInts},
                                                {{1, 2, 3, 4}, {2, 2}},
                                                {{10, 20, 30, 40}, {2, 2}},
                                                {{1, 1}, {2}},
                                                {{0, 0}, {2}},
                                                {{1, 0}, {1, 2}, kInts}});
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type),
            "(float32[1, 2, 2], int32[1], float32[1, 2, 2])");
}

// Without scores, a query has the mean of the values that it sees.
TEST(Microsoft, MasksOfAttention) {
  const Given none{{0, 0, 0}, {1, 3, 1}}, values{{1, 2, 6}, {1, 3, 1}};
  const auto mean = [&](const Given& mask) {
    return ResultsOf(
        Microsoft("MultiHeadAttention", {"a", "b", "c", "", "d"}, {IntAttribute("num_heads", 1)}),
        {none, none, values, mask})[0][0];
  };
  EXPECT_FLOAT_EQ(mean({{1, 1, 1}, {1, 3}, kInts}), 3);
  EXPECT_FLOAT_EQ(mean({{1, 0, 1}, {1, 3}, kInts}), 3.5);
  EXPECT_FLOAT_EQ(mean({{2}, {1}, kInts}), 1.5);
  EXPECT_FLOAT_EQ(mean({{3, 1}, {2}, kInts}), 4);
}

TEST(Microsoft, ProjectionsAndThePastOfAttention) {
  // Projected to queries and keys of 0, and values of twice the input; one key before.
  const auto results = ResultsOf(
      Microsoft("Attention", {"a", "w", "", "", "b"},
                {IntAttribute("num_heads", 1), IntAttribute("unidirectional", 1)}, {"y", "p"}),
      {{{1, 2}, {1, 2, 1}}, {{7, 10}, {2, 1, 1, 1, 1}}}, {FloatTensor("w", {1, 3}, {0, 0, 2})});
  EXPECT_EQ(results[0], (Row{6, 16.F / 3}));
  EXPECT_EQ(results[1], (Row{7, 0, 0, 10, 2, 4}));
  const std::string error =
      ErrorOf(Microsoft("Attention", {"a", "b"},
                        {IntAttribute("num_heads", 1), IntAttribute("do_rotary", 1)}),
              {{{1, 2}, {1, 2, 1}}, {{0, 0, 2}, {1, 3}}});
  EXPECT_TRUE(Has(error, "onnx-attribute") && Has(error, "`do_rotary` of node `y`")) << error;
}

TEST(Microsoft, CachesOfSequencesOfDifferentLengths) {
  // Two sequences: one has two keys before this one, the other one.
  const Given none{{0, 0}, {2, 1, 1}}, values{{6, 6}, {2, 1, 1}};
  const Given cached_keys{{1, 2, 3, 4}, {2, 1, 2, 1}}, cached{{2, 5, 2, 5}, {2, 1, 2, 1}};
  const auto results = ResultsOf(
      Microsoft("GroupQueryAttention", {"a", "b", "c", "d", "e", "f", "g"},
                {IntAttribute("num_heads", 1), IntAttribute("kv_num_heads", 1)}, {"y", "k", "v"}),
      {none, none, values, cached_keys, cached, {{2, 1}, {2}, kInts}, {{3}, {}, kInts}});
  EXPECT_EQ(results[0], (Row{13.F / 3, 4}));
  const Row& k = results[1];
  EXPECT_EQ((Row{k[0], k[1], k[2], k[3], k[4]}), (Row{1, 2, 0, 3, 0}));
  EXPECT_EQ((Row{results[2][3], results[2][4]}), (Row{2, 6}));
}

TEST(Microsoft, WindowsOfGroupQueryAttention) {
  const Given none{{0, 0, 0, 0}, {1, 4, 1}}, values{{1, 2, 4, 8}, {1, 4, 1}};
  const Row y = ResultsOf(Microsoft("GroupQueryAttention", {"a", "b", "c", "", "", "d", "e"},
                                    {IntAttribute("num_heads", 1), IntAttribute("kv_num_heads", 1),
                                     IntAttribute("local_window_size", 2)}),
                          {none, none, values, {{3}, {1}, kInts}, {{4}, {}, kInts}})[0];
  EXPECT_EQ(y, (Row{1, 1.5, 3, 6}));
}

TEST(Microsoft, WeightsOfFewBits) {
  const Given x{std::vector<float>(16, 1), {1, 16}}, scale{{0.5}, {1}};
  const std::vector<std::string> sizes{IntAttribute("K", 16), IntAttribute("N", 1),
                                       IntAttribute("bits", 4), IntAttribute("block_size", 16)};
  const std::string packed = RawTensor("w", kBytes, {1, 1, 8}, std::string(8, '\x98'));
  // Numbers 8 and 9, less 8; then less 7.
  EXPECT_EQ(ResultsOf(Microsoft("MatMulNBits", {"a", "w", "b"}, sizes), {x, scale}, {packed})[0],
            Row{4});
  EXPECT_EQ(ResultsOf(Microsoft("MatMulNBits", {"a", "w", "b", "z"}, sizes), {x, scale},
                      {packed, RawTensor("z", kBytes, {1}, "\x07")})[0],
            Row{12});
}

TEST(Microsoft, SumsOfQuantisedNumbers) {
  const Given a{{10, 250}, {2}, kBytes}, b{{-128, 127}, {2}, kShorts};
  const auto scale = [](const std::string& name, float value) {
    return FloatTensor(name, {}, {value});
  };
  const Row sum =
      ResultsOf(Microsoft("QLinearAdd", {"a", "s", "z", "b", "s", "", "t", "z"}),
                {a, {{20, 255}, {2}, kBytes}},
                {scale("s", 0.5), scale("t", 1), RawTensor("z", kBytes, {}, "\x0a")})[0];
  EXPECT_EQ(sum, (Row{20, 255}));  // (0 + 10) + 10; 120 + 127.5 + 10 is too much
  const Row where = ResultsOf(
      Microsoft("QLinearLeakyRelu", {"a", "s", "", "t"}, {FloatAttribute("alpha", 0.25F)}), {b},
      {scale("s", 0.5), scale("t", 1)})[0];
  EXPECT_EQ(where, (Row{-16, 64}));  // 63.5 becomes the even neighbour
}

TEST(Microsoft, WhatIsRefusedHasAReason) {
  const std::string error = ErrorOf(Microsoft("Tokenizer", {"a"}), {{{1}, {1}}});
  EXPECT_TRUE(Has(error, "1 x com.microsoft.Tokenizer: texts are no tensors")) << error;
}

// -- ONNX's own, from opset 23 on.

TEST(Attention, AQueryThatSeesNothingHasZeros) {
  const Given none{{0, 0}, {1, 1, 2, 1}}, values{{1, 3}, {1, 1, 2, 1}};
  const Row y = ResultsOf({"Attention", {"a", "b", "c", "m"}, {"y"}}, {none, none, values},
                          {RawTensor("m", 9, {2, 2}, std::string("\0\0\1\1", 4))})[0];
  EXPECT_EQ(y, (Row{0, 2}));
}

TEST(Attention, CausalBehindThePast) {
  const Given none{{0, 0}, {1, 1, 2, 1}}, values{{1, 3}, {1, 1, 2, 1}}, past{{5}, {1, 1, 1, 1}};
  const Row y =
      ResultsOf({"Attention", {"a", "b", "c", "", "d", "e"}, {"y"}, {IntAttribute("is_causal", 1)}},
                {none, none, values, past, past})[0];
  EXPECT_EQ(y, (Row{3, 3}));
}

TEST(Attention, CachesThatWrapAround) {
  const TestNode node{"TensorScatter",
                      {"a", "b", "c"},
                      {"y"},
                      {StringAttribute("mode", "circular"), IntAttribute("axis", 1)}};
  const Row y = ResultsOf(
      node, {{{1, 2, 3, 4, 5, 6}, {2, 3}}, {{7, 8, 9, 10}, {2, 2}}, {{2, 0}, {2}, kLongs}})[0];
  EXPECT_EQ(y, (Row{8, 2, 7, 9, 10, 6}));
}

}  // namespace
}  // namespace lathe::graph::onnx
