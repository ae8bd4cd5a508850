#include "tools/lathe/layers.h"

#include "graph/import/onnx/test_models.h"
#include "gtest/gtest.h"

namespace lathe::cli {
namespace {

namespace onnx = graph::onnx;

// "c=Relu(0 1)": a layer, its operator, and the layers that it is computed from.
std::vector<std::string> Texts(const onnx::TestGraph& graph, Layers which) {
  const std::string bytes = onnx::ModelBytes(graph);
  std::vector<std::string> texts;
  for (const Layer& layer : LayersOf(onnx::ReadModel(bytes), which)) {
    std::string from;
    for (const size_t before : layer.from)
      from += (from.empty() ? "" : " ") + std::to_string(before);
    texts.push_back(layer.value + "=" + layer.op + "(" + from + ")");
  }
  return texts;
}

using Strings = std::vector<std::string>;

TEST(Layers, KnowWhatTheyAreComputedFrom) {
  const onnx::TestGraph graph = {.nodes = {{"Relu", {"x"}, {"a"}},
                                           {"Split", {"a"}, {"b", "c"}},
                                           {"Add", {"b", "w"}, {"d"}},
                                           {"Add", {"c", "a"}, {"e"}},
                                           {"Mul", {"d", "e"}, {"y"}}},
                                 .inputs = {{"x", {2, 4}}},
                                 .outputs = {"y"},
                                 .initializers = {onnx::FloatTensor("w", {1}, {1})}};
  const Strings expected = {"a=Relu()", "b=Split(0)", "d=Add(1)", "e=Add(0 1)", "y=Mul(2 3)"};
  EXPECT_EQ(Texts(graph, Layers::kAll), expected);
  EXPECT_EQ(Texts(graph, Layers::kOfInputs), expected);
}

TEST(Layers, OfInputsHaveNoConstantsAndShapes) {
  const onnx::TestGraph graph = {.nodes = {{"Neg", {"w"}, {"v"}},
                                           {"Relu", {"x"}, {"a"}},
                                           {"Shape", {"a"}, {"s"}},
                                           {"Neg", {"s"}, {"t"}},
                                           {"Reshape", {"a", "t"}, {"y"}}},
                                 // Old files list weights as inputs, too.
                                 .inputs = {{"x", {2, 4}}, {"w", {1}}},
                                 .outputs = {"y"},
                                 .initializers = {onnx::FloatTensor("w", {1}, {1})}};
  EXPECT_EQ(Texts(graph, Layers::kAll),
            (Strings{"v=Neg()", "a=Relu()", "s=Shape()", "t=Neg(2)", "y=Reshape(1 3)"}));
  EXPECT_EQ(Texts(graph, Layers::kOfInputs), (Strings{"a=Relu()", "y=Reshape(0)"}));
}

TEST(Layers, ReadWhatGraphsInAttributesRead) {
  const std::string branch =
      onnx::GraphBytes({.nodes = {{"Neg", {"a"}, {"n"}}}, .inputs = {}, .outputs = {"n"}});
  const std::string other = onnx::GraphBytes({.nodes = {}, .inputs = {}, .outputs = {"b"}});
  const onnx::TestGraph graph = {.nodes = {{"Relu", {"x"}, {"a"}},
                                           {"Abs", {"x"}, {"b"}},
                                           {"If",
                                            {"chosen"},
                                            {"y"},
                                            {onnx::GraphAttribute("then_branch", branch),
                                             onnx::GraphAttribute("else_branch", other)}}},
                                 .inputs = {{"x", {2, 4}}, {"chosen", {}, 9}},
                                 .outputs = {"y"}};
  EXPECT_EQ(Texts(graph, Layers::kOfInputs), (Strings{"a=Relu()", "b=Abs()", "y=If(0 1)"}));
}

TEST(Layers, SequencesAreOnTheWayOnly) {
  const onnx::TestGraph graph = {.nodes = {{"Relu", {"x"}, {"a"}},
                                           {"SequenceConstruct", {"a", "x"}, {"s"}},
                                           {"ConcatFromSequence", {"s"}, {"c"}},
                                           {"Neg", {"s"}, {"y"}}},
                                 .inputs = {{"x", {2, 4}}},
                                 .outputs = {"y"}};
  EXPECT_EQ(Texts(graph, Layers::kAll), (Strings{"a=Relu()", "y=Neg(0)"}));
}

TEST(Layers, AreMoreOutputsOfTheModel) {
  const std::string bytes =
      onnx::ModelBytes({.nodes = {{"Relu", {"x"}, {"a"}}, {"Neg", {"a"}, {"y"}}},
                        .inputs = {{"x", {2, 4}}},
                        .outputs = {"y"}});
  const onnx::Model model = onnx::ReadModel(bytes);
  const std::string changed = WithOutputs(bytes, LayersOf(model, Layers::kAll), model);
  const onnx::Model more = onnx::ReadModel(changed);
  ASSERT_EQ(more.graph.outputs.size(), 2U);
  EXPECT_EQ(more.graph.outputs[0].name, "y");
  EXPECT_EQ(more.graph.outputs[1].name, "a");
  EXPECT_EQ(more.graph.nodes.size(), 2U);
}

}  // namespace
}  // namespace lathe::cli
