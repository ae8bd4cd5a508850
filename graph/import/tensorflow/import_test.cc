// Reading and importing graphs: what is made, and each error by name.
#include "graph/import/tensorflow/import.h"

#include "base/address_sanitizer.h"
#include "base/file.h"
#include "graph/import/tensorflow/import_checks.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"

namespace lathe::graph::tensorflow {
namespace {

using runtime::Tensor;

// Nodes may stand in any order.
std::string Dense() {
  return GraphBytes({{"out/Relu", "Relu", {"out/BiasAdd"}},
                     {"out/BiasAdd", "BiasAdd", {"out/MatMul", "b"}},
                     {"out/MatMul", "MatMul", {"x", "w"}, {BoolOf("transpose_b", true)}},
                     Input("x", {-1, 2}),
                     Floats("w", {3, 2}, {1, 2, 3, 4, -5, -6}),
                     Floats("b", {3}, {0.5F, 0, 0})});
}

TEST(Import, ADenseLayer) {
  const ImportedModel model = Import(Dense());
  EXPECT_EQ(model.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(model.outputs, std::vector<std::string>{"out/Relu"});
  EXPECT_EQ(TypeOfResult(model), "float32[x_0, 3]");
  EXPECT_EQ(ResultOf(model, {FloatTensor({1, -0.5F}, {1, 2})}), (std::vector<float>{0.5F, 1, 0}));
}

TEST(Import, Options) {
  const ImportedModel model =
      Import(Dense(), {.shapes = {{"x", {"batch", 2}}}, .outputs = {"out/MatMul"}});
  EXPECT_EQ(TypeOfResult(model), "float32[batch, 3]");
  EXPECT_EQ(model.outputs, std::vector<std::string>{"out/MatMul"});
  const ImportedModel lifted = Import(Dense(), {.weights_are_inputs = true});
  EXPECT_EQ(lifted.inputs.size(), 3U);
  EXPECT_EQ(lifted.weights.size(), 2U);
}

TEST(Import, ShapesThatNodesCompute) {
  const ImportedModel model = Import(GraphBytes(
      {Input("x", {-1, 6}),
       {"s", "Shape", {"x"}},
       Int32s("zero", {1}, {0}),
       Int32s("one", {1}, {1}),
       {"n", "StridedSlice", {"s", "zero", "one", "one"}, {IntOf("shrink_axis_mask", 1)}},
       Int32s("two", {}, {2}),
       Int32s("three", {}, {3}),
       {"t", "Pack", {"n", "two", "three"}},
       {"y", "Reshape", {"x", "t"}}}));
  EXPECT_EQ(TypeOfResult(model), "float32[x_0, 2, 3]");
}

TEST(Import, ImagesStayInTheirOrder) {
  const ImportedModel model = Import(GraphBytes(
      {Input("x", {1, 4, 4, 1}),
       Floats("w", {3, 3, 1, 2}, std::vector<float>(18, 1)),
       {"y", "Conv2D", {"x", "w"}, {TextOf("padding", "SAME"), IntsOf("strides", {1, 2, 2, 1})}}}));
  const std::string text = ir::ToText(model.module);
  EXPECT_TRUE(Has(text, "NHWC") && Has(text, "HWIO") && !Has(text, "transpose")) << text;
  EXPECT_TRUE(Has(text, "padding=[0, 0, 1, 1]")) << text;  // the frame is larger behind
  EXPECT_EQ(TypeOfResult(model), "float32[1, 2, 2, 2]");
}

const std::vector<TestFunction> kLoop{
    {"more",
     {"i", "v"},
     {"go"},
     {Int32s("three", {}, {3}), {"less", "Less", {"i", "three:output:0"}}},
     {"less:z:0"}},
    {"step",
     {"i", "v"},
     {"j", "w"},
     {Int32s("one", {}, {1}),
      {"next", "AddV2", {"i", "one:output:0"}},
      {"twice", "AddV2", {"v", "v"}}},
     {"next:z:0", "twice:z:0"}}};

std::string Loop() {
  return GraphBytes({Input("x", {2}),
                     Int32s("zero", {}, {0}),
                     {"loop",
                      "StatelessWhile",
                      {"zero", "x"},
                      {FunctionOf("cond", "more"), FunctionOf("body", "step")}},
                     {"y", "Identity", {"loop:1"}}},
                    kLoop);
}

TEST(Import, ALoop) {
  const ImportedModel model = Import(Loop());
  EXPECT_TRUE(Has(ir::ToText(model.module), "loop"));
  EXPECT_EQ(ResultOf(model, {FloatTensor({1, 2}, {2})}), (std::vector<float>{8, 16}));
}

TEST(Import, ArmsAndCalls) {
  const ImportedModel model = Import(GraphBytes(
      {Input("c", {}, 10),
       Input("x", {2}),
       {"choice",
        "If",
        {"c", "x"},
        {FunctionOf("then_branch", "double"), FunctionOf("else_branch", "call")}}},
      {{"double", {"a"}, {"r"}, {{"s", "AddV2", {"a", "a"}}}, {"s:z:0"}},
       {"call",
        {"a"},
        {"r"},
        {{"n", "Neg", {"a"}}, {"p", "PartitionedCall", {"n:y:0"}, {FunctionOf("f", "double")}}},
        {"p:output:0"}}}));
  for (const uint8_t c : {0, 1}) {
    const Tensor condition = *Tensor::FromHost(&c, 1, std::vector<int64_t>{}, DataType::Bool());
    EXPECT_EQ(ResultOf(model, {condition, FloatTensor({1, 2}, {2})}),
              c != 0 ? (std::vector<float>{2, 4}) : (std::vector<float>{-2, -4}));
  }
}

// `i` chooses what is added to `x`: 0, 1 or 2.
std::string Choice(const TestNode& i) {
  std::vector<TestFunction> functions;
  std::vector<std::string> names;
  for (int k = 0; k < 3; ++k) {
    names.push_back("plus" + std::to_string(k));
    functions.push_back(
        {names.back(),
         {"a"},
         {"r"},
         {Floats("k", {}, {static_cast<float>(k)}), {"s", "AddV2", {"a", "k:output:0"}}},
         {"s:z:0"}});
  }
  return GraphBytes(
      {i, Input("x", {2}), {"y", "StatelessCase", {"i", "x"}, {FunctionsOf("branches", names)}}},
      functions);
}

// Indices that no branch has choose the last one.
TEST(Import, ACaseOfSeveralFunctions) {
  const ImportedModel model = Import(Choice(Input("i", {}, 3)));
  EXPECT_TRUE(Has(ir::ToText(model.module), "if"));
  for (const int32_t i : {-1, 0, 1, 2, 7}) {
    const float more = i < 0 || i > 2 ? 2 : static_cast<float>(i);
    const ImportedModel known = Import(Choice(Int32s("i", {}, {i})));
    EXPECT_FALSE(Has(ir::ToText(known.module), "if"));
    const Tensor x = FloatTensor({1, 5}, {2});
    const std::vector<float> expected{1 + more, 5 + more};
    EXPECT_EQ(ResultOf(known, {x}), expected);
    EXPECT_EQ(ResultOf(model, {Int32Tensor({i}, {}), x}), expected);
  }
}

TEST(Errors, ACaseWithoutFunctions) {
  const auto error = [](const TestNode& index, const std::vector<std::string>& branches) {
    return ErrorOf(GraphBytes(
        {index, Input("x", {2}), {"y", "Case", {"i", "x"}, {FunctionsOf("branches", branches)}}}));
  };
  EXPECT_TRUE(Has(error(Input("i", {}, 3), {}), "lacks the attribute `branches`"));
  EXPECT_TRUE(Has(error(Input("i", {2}, 3), {"f"}), "branch_index"));
  EXPECT_TRUE(Has(error(Input("i", {}, 1), {"f"}), "branch_index"));
  EXPECT_TRUE(Has(error(Input("i", {}, 3), {"f"}), "a function that the model lacks"));
  // Their operators are looked at, too.
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("i", {}, 3),
                                      Input("x", {2}),
                                      {"y", "Case", {"i", "x"}, {FunctionsOf("branches", {"f"})}}},
                                     {{"f", {"a"}, {"r"}, {{"s", "Nonsense", {"a"}}}, {"s:z:0"}}})),
                  "1 x Nonsense"));
}

// -- Errors.

TEST(Errors, AllUnsupportedOperatorsAtOnce) {
  const std::string error = ErrorOf(GraphBytes({Input("x", {2}),
                                                {"a", "Switch", {"x", "x"}},
                                                {"b", "Merge", {"a", "a:1"}},
                                                {"n", "_SwitchN", {"b", "b"}},
                                                {"c", "Nonsense", {"n"}},
                                                {"d", "Nonsense", {"c"}}}));
  for (const char* part :
       {"tensorflow-unsupported", "4 operators", "2 x Nonsense", "1 x _SwitchN: a Case",
        "1 x Switch: control flow in its old form", "lower_control_flow=False"}) {
    EXPECT_TRUE(Has(error, part)) << part << "\n" << error;
  }
  // What the outputs do not need does not matter.
  EXPECT_EQ(ErrorOf(GraphBytes({Input("x", {2}), {"y", "Neg", {"x"}}, {"c", "Nonsense", {"x"}}}),
                    {.outputs = {"y"}}),
            "");
}

TEST(Errors, Graphs) {
  EXPECT_TRUE(
      Has(ErrorOf(GraphBytes({{"a", "Neg", {"b"}}, {"b", "Neg", {"a"}}, {"y", "Neg", {"a"}}})),
          "a cycle"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({{"y", "Neg", {"z"}}})), "tensorflow-graph"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {2}), {"y", "Neg", {"x"}}, {"y", "Neg", {"x"}}})),
                  "two nodes have the name `y`"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {2}), {"y", "Neg", {"x:3"}}})), "result 3"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {2})})), "tensorflow-outputs"));
  EXPECT_TRUE(Has(ErrorOf(Dense(), {.outputs = {"out/Reelu"}}), "`out/Relu`"));
  // A function that calls itself.
  EXPECT_TRUE(Has(
      ErrorOf(GraphBytes({Input("x", {2}), {"y", "PartitionedCall", {"x"}, {FunctionOf("f", "g")}}},
                         {{"g",
                           {"a"},
                           {"r"},
                           {{"p", "PartitionedCall", {"a"}, {FunctionOf("f", "g")}}},
                           {"p:output:0"}}})),
      "tensorflow-too-deep"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes(
                      {Input("x", {2}), {"y", "PartitionedCall", {"x"}, {FunctionOf("f", "h")}}})),
                  "a function that the model lacks"));
}

// Ten thousand nodes in a row do not recurse.
TEST(Import, DeepGraphs) {
  std::vector<TestNode> nodes{Input("x", {2})};
  for (int i = 0; i < 10000; ++i) {
    nodes.push_back({"n" + std::to_string(i),
                     "Neg",
                     {i == 0 ? std::string("x") : "n" + std::to_string(i - 1)}});
  }
  EXPECT_EQ(TypeOfResult(Import(GraphBytes(nodes))), "float32[2]");
}

TEST(Errors, Inputs) {
  EXPECT_TRUE(Has(ErrorOf(Dense(), {.shapes = {{"z", {1}}}}), "tensorflow-input-unknown"));
  EXPECT_TRUE(Has(ErrorOf(Dense(), {.shapes = {{"x", {1}}}}), "tensorflow-input-shape"));
  const std::string no_shape =
      GraphBytes({{"x", "Placeholder", {}, {TypeOf("dtype", 1)}}, {"y", "Neg", {"x"}}});
  EXPECT_TRUE(Has(ErrorOf(no_shape), "has no shape"));
  EXPECT_EQ(ErrorOf(no_shape, {.shapes = {{"x", {2}}}}), "");
  EXPECT_TRUE(Has(ErrorOf(Dense(), {.shapes = {{"x", {1, 5}}}}), "out/MatMul"));
}

TEST(Errors, NodesAndTensors) {
  EXPECT_TRUE(
      Has(ErrorOf(GraphBytes({Floats("k", {3}, {1}), {"y", "Neg", {"k"}}})), "tensorflow-tensor"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {2}, 7), {"y", "Neg", {"x"}}})), "DT_STRING"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {1, 4, 4, 1}),
                                      {"y", "MaxPool", {"x"}, {TextOf("padding", "FULL")}}})),
                  "tensorflow-node"));
  const std::string unknown =
      ErrorOf(GraphBytes({Input("x", {6}), Input("s", {2}, 3), {"y", "Reshape", {"x", "s"}}}));
  EXPECT_TRUE(Has(unknown, "tensorflow-value-needed") && Has(unknown, "the input `s`")) << unknown;
}

// An input that claims to have a million parts is refused before they are made.
TEST(Errors, PartsAreCounted) {
  const std::string unpack = ErrorOf(
      GraphBytes({Input("x", {1 << 20, 2}), {"y", "Unpack", {"x"}, {IntOf("num", 1 << 20)}}}));
  EXPECT_TRUE(Has(unpack, "another number of results")) << unpack;
}

TEST(Errors, DamagedFiles) {
  EXPECT_TRUE(Has(ErrorOf("no graph at all"), "tensorflow-malformed"));
  EXPECT_FALSE(LoadModel("/nowhere/graph.pb").ok());
  for (const std::string& whole : {Dense(), Loop(), Choice(Input("i", {}, 3))}) {
    for (size_t size = 0; size < whole.size(); ++size) ErrorOf(whole.substr(0, size));
    for (size_t bit = 0; bit < 8 * whole.size(); bit += kAddressSanitizer ? 7 : 1) {
      std::string bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      ErrorOf(bytes);
    }
  }
}

TEST(Documentation, ListsTheOperators) {
  std::string page;
  ASSERT_TRUE(ReadFile("docs/tensorflow.md", kAnySize, &page).ok());
  std::string list;
  for (const std::string& name : SupportedOperators()) list += (list.empty() ? "" : ", ") + name;
  EXPECT_TRUE(Has(page, list + ".")) << "docs/tensorflow.md must have the list:\n" << list << ".";
}

}  // namespace
}  // namespace lathe::graph::tensorflow
