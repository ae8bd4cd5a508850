// Reading and importing models: what is made, and each error by name.
#include "graph/import/onnx/import.h"

#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "graph/builder.h"
#include "graph/import/onnx/test_models.h"
#include "graph/interpreter/interpreter.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"

namespace lathe::graph::onnx {
namespace {

using runtime::Tensor;

ImportedModel Import(const TestGraph& graph, const ImportOptions& options = {}) {
  return ImportModel(ParseModel(ModelBytes(graph)), options);
}

// The error of an import, as text; "" if there is none.
std::string ErrorOf(const std::string& bytes, const ImportOptions& options = {}) {
  try {
    ImportModel(ParseModel(bytes), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string TextOf(const ImportedModel& model) { return ir::ToText(model.module); }

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor Floats(const std::vector<float>& values, std::vector<int64_t> shape) {
  return *Tensor::FromHost(values.data(), values.size() * sizeof(float), shape,
                           DataType::Float(32));
}

std::vector<float> ResultOf(const ImportedModel& model, std::vector<GraphValue> inputs) {
  const Tensor out = Interpret(model.module, "main", std::move(inputs)).tensor;
  const auto* data = static_cast<const float*>(out.dl().data);
  return {data, data + out.num_elements()};
}

const TestGraph kRelu{
    .nodes = {{"Relu", {"x"}, {"y"}}}, .inputs = {{"x", {-1, 3}}}, .outputs = {"y"}};

TEST(Import, NamesAndSizesSurvive) {
  const ImportedModel model =
      Import({.nodes = {{"Relu", {"x"}, {"features/relu:0"}}, {"Neg", {"features/relu:0"}, {"y"}}},
              .inputs = {{"x", {-1, 3}}},
              .outputs = {"y"}});
  const GraphFuncRef& main = model.module->functions[0];
  EXPECT_EQ(main->body->bindings[0]->var->name, "features/relu:0");
  EXPECT_EQ(main->params[0]->name, "x");
  EXPECT_EQ(TypeText(main->result_type), "float32[n, 3]");
  EXPECT_EQ(model.outputs, std::vector<std::string>{"y"});
}

TEST(Import, AGraphInTwoPartsIsOneGraph) {
  // ModelProto.graph {output {name: "t"}} behind the model: an output more.
  const std::string bytes = ModelBytes({.nodes = {{"Relu", {"x"}, {"t"}}, {"Neg", {"t"}, {"y"}}},
                                        .inputs = {{"x", {-1, 3}}},
                                        .outputs = {"y"}}) +
                            std::string("\x3a\x05\x62\x03\x0a\x01t");
  const ImportedModel model = ImportModel(ParseModel(bytes));
  EXPECT_EQ(model.outputs, (std::vector<std::string>{"y", "t"}));
  EXPECT_EQ(model.inputs, std::vector<std::string>{"x"});
}

TEST(Import, OptionsReplaceShapes) {
  const ImportedModel model = Import(kRelu, {.shapes = {{"x", {5, "width"}}}});
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type), "float32[5, width]");
  EXPECT_TRUE(Has(ErrorOf(ModelBytes(kRelu), {.shapes = {{"x", {5}}}}), "onnx-input-shape"));
  const std::string unknown = ErrorOf(ModelBytes(kRelu), {.shapes = {{"X", {5, 3}}}});
  EXPECT_TRUE(Has(unknown, "onnx-input-unknown") && Has(unknown, "`x`")) << unknown;
}

TEST(Import, ShapesThatNodesCompute) {
  // [n, 6] -> [n, 2, 3], by Shape, Slice and Concat.
  const ImportedModel model =
      Import({.nodes = {{"Shape", {"x"}, {"s"}, {IntAttribute("end", 1)}},
                        {"Concat", {"s", "k"}, {"t"}, {IntAttribute("axis", 0)}},
                        {"Reshape", {"x", "t"}, {"y"}}},
              .inputs = {{"x", {-1, 6}}},
              .outputs = {"y"},
              .initializers = {IntTensor("k", {2, -1})}});
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type), "float32[n, 2, 3]");
}

TEST(Import, ShapesThatARunComputes) {
  const TestGraph graph{.nodes = {{"Reshape", {"x", "shape"}, {"y"}}},
                        .inputs = {{"x", {6}}, {"shape", {2}, 7}},
                        .outputs = {"y"}};
  EXPECT_EQ(TypeText(Import(graph).module->functions[0]->result_type), "float32[extent, extent_1]");
}

TEST(Import, ValuesThatShapesNeed) {
  // Nobody knows the rank of the result.
  const TestGraph graph{.nodes = {{"Reshape", {"x", "shape"}, {"y"}}},
                        .inputs = {{"x", {6}}, {"shape", {-1}, 7}},
                        .outputs = {"y"}};
  const std::string error = ErrorOf(ModelBytes(graph));
  EXPECT_TRUE(Has(error, "onnx-value-needed") && Has(error, "the input `shape`")) << error;
  const int64_t values[] = {2, 3};
  const TensorValue shape{
      DataType::Int(64), {2}, Blob::Copy({reinterpret_cast<const char*>(values), sizeof(values)})};
  const ImportedModel model = Import(graph, {.values = {{"shape", shape}}});
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type), "float32[2, 3]");
  EXPECT_EQ(model.inputs, std::vector<std::string>{"x"});
}

TEST(Import, FunctionsAreInlined) {
  const TestGraph body{.nodes = {{"Concat", {"a", "a"}, {"b"}, {ReferenceAttribute("axis", "at")}}},
                       .inputs = {{"a", {}}},
                       .outputs = {"b"}};
  const ImportedModel model =
      Import({.nodes = {{"Twice", {"x"}, {"y"}, {IntAttribute("at", 1)}, "test"}},
              .inputs = {{"x", {2, 3}}},
              .outputs = {"y"},
              .functions = {FunctionBytes("Twice", body)}});
  EXPECT_TRUE(Has(TextOf(model), "float32[2, 6]")) << TextOf(model);
}

TEST(Import, ALoopOfRoundsThatOnlyARunKnows) {
  const TestGraph step{.nodes = {{"Add", {"c", "c"}, {"d"}}, {"Identity", {"go"}, {"on"}}},
                       .inputs = {{"i", {}, 7}, {"go", {}, 9}, {"c", {2}}},
                       .outputs = {"on", "d"}};
  const ImportedModel model = Import(
      {.nodes = {{"Loop", {"m", "", "x"}, {"y"}, {GraphAttribute("body", GraphBytes(step))}}},
       .inputs = {{"x", {2}}, {"m", {}, 7}},
       .outputs = {"y"}});
  const int64_t rounds = 3;
  const Tensor m = *Tensor::FromHost(&rounds, 8, {}, DataType::Int(64));
  EXPECT_EQ(ResultOf(model, {Floats({1, 2}, {2}), m}), (std::vector<float>{8, 16}));
}

TEST(Import, AnIfOfAnInput) {
  const TestGraph minus{.nodes = {{"Neg", {"x"}, {"r"}}}, .inputs = {}, .outputs = {"r"}};
  const TestGraph twice{.nodes = {{"Add", {"x", "x"}, {"r"}}}, .inputs = {}, .outputs = {"r"}};
  const ImportedModel model =
      Import({.nodes = {{"If",
                         {"b"},
                         {"y"},
                         {GraphAttribute("then_branch", GraphBytes(minus)),
                          GraphAttribute("else_branch", GraphBytes(twice))}}},
              .inputs = {{"x", {1}}, {"b", {}, 9}},
              .outputs = {"y"}});
  const bool yes = true, no = false;
  const Tensor t = *Tensor::FromHost(&yes, 1, {}, DataType::Bool());
  const Tensor f = *Tensor::FromHost(&no, 1, {}, DataType::Bool());
  EXPECT_EQ(ResultOf(model, {Floats({3}, {1}), t}), std::vector<float>{-3});
  EXPECT_EQ(ResultOf(model, {Floats({3}, {1}), f}), std::vector<float>{6});
}

TEST(Import, WeightsAsInputs) {
  const TestGraph graph{.nodes = {{"MatMul", {"x", "w"}, {"y"}}},
                        .inputs = {{"x", {2, 2}}},
                        .outputs = {"y"},
                        .initializers = {FloatTensor("w", {2, 1}, {1, 2})}};
  const ImportedModel model = Import(graph, {.weights_are_inputs = true});
  EXPECT_EQ(model.inputs, (std::vector<std::string>{"x", "w"}));
  ASSERT_EQ(model.weights.size(), 1U);
  EXPECT_EQ(model.weights[0].second.data->size(), 8U);
  EXPECT_EQ(Import(graph).inputs, std::vector<std::string>{"x"});
}

TEST(Import, SparseTensors) {
  const auto add = [](const std::string& sparse) {
    return TestGraph{.nodes = {{"Add", {"x", "w"}, {"y"}}},
                     .inputs = {{"x", {2, 3}}},
                     .outputs = {"y"},
                     .sparse = {sparse}};
  };
  const Tensor zeros = Floats(std::vector<float>(6), {2, 3});
  const std::vector<float> expected{0, 5, 0, 0, 0, 7};
  const std::string values = FloatTensor("w", {2}, {7, 5}), flat = IntTensor("", {5, 1});
  const int64_t pairs[] = {1, 2, 0, 1};
  const std::string places =
      RawTensor("", 7, {2, 2}, {reinterpret_cast<const char*>(pairs), sizeof(pairs)});
  EXPECT_EQ(ResultOf(Import(add(SparseTensor(values, flat, {2, 3}))), {zeros}), expected);
  EXPECT_EQ(ResultOf(Import(add(SparseTensor(values, places, {2, 3}))), {zeros}), expected);
  const ImportedModel lifted =
      Import(add(SparseTensor(values, flat, {2, 3})), {.weights_are_inputs = true});
  ASSERT_EQ(lifted.weights.size(), 1U);
  EXPECT_EQ(lifted.weights[0].first, "w");
  const std::string sparse = SparseTensor(values, flat, {6});
  const ImportedModel constant =
      Import({.nodes = {{"Constant", {}, {"c"}, {SparseAttribute("sparse_value", sparse)}},
                        {"Neg", {"c"}, {"y"}}},
              .inputs = {},
              .outputs = {"y"}});
  EXPECT_EQ(ResultOf(constant, {}), (std::vector<float>{0, -5, 0, 0, 0, -7}));

  const auto error = [&](const std::string& w, const std::string& at, std::vector<int64_t> shape) {
    return ErrorOf(ModelBytes(add(SparseTensor(w, at, shape))));
  };
  EXPECT_TRUE(Has(error(values, flat, {2, 2}), "an index is out of range"));
  EXPECT_TRUE(Has(error(values, IntTensor("", {0, -1}), {2, 3}), "an index is out of range"));
  EXPECT_TRUE(Has(error(values, places, {1, 3}), "an index is out of range"));
  EXPECT_TRUE(Has(error(values, IntTensor("", {1}), {2, 3}), "indices do not fit"));
  EXPECT_TRUE(Has(error(values, FloatTensor("", {2}, {0, 1}), {2, 3}), "indices do not fit"));
  EXPECT_TRUE(Has(error(FloatTensor("w", {1, 2}, {7, 5}), flat, {2, 3}), "wrong rank"));
  EXPECT_TRUE(Has(error(values, flat, {1 << 20, 1 << 20}), "too large"));
  EXPECT_TRUE(Has(error(values, flat, {-2, 3}), "onnx-tensor"));
}

TEST(ImportErrors, AllUnsupportedOperatorsAtOnce) {
  const std::string error = ErrorOf(ModelBytes({.nodes = {{"Reluu", {"x"}, {"a"}},
                                                          {"Reluu", {"a"}, {"b"}},
                                                          {"StringConcat", {"b", "b"}, {"y"}}},
                                                .inputs = {{"x", {2}}},
                                                .outputs = {"y"}}));
  EXPECT_TRUE(Has(error, "onnx-unsupported")) << error;
  EXPECT_TRUE(Has(error, "2 x Reluu; known are `Relu`")) << error;
  EXPECT_TRUE(Has(error, "1 x StringConcat: texts are no tensors")) << error;
}

TEST(ImportErrors, Opsets) {
  for (const int64_t opset : {6, 29}) {
    TestGraph graph = kRelu;
    graph.opset = opset;
    EXPECT_TRUE(Has(ErrorOf(ModelBytes(graph)), "onnx-opset")) << opset;
  }
}

TEST(ImportErrors, CyclesAndDoubleNames) {
  const std::string cycle =
      ErrorOf(ModelBytes({.nodes = {{"Add", {"x", "b"}, {"a"}}, {"Neg", {"a"}, {"b"}}},
                          .inputs = {{"x", {2}}},
                          .outputs = {"b"}}));
  EXPECT_TRUE(Has(cycle, "onnx-graph") && Has(cycle, "node `a` (Add, opset 21) reads `b`"))
      << cycle;
  const std::string twice =
      ErrorOf(ModelBytes({.nodes = {{"Neg", {"x"}, {"y"}}, {"Abs", {"x"}, {"y"}}},
                          .inputs = {{"x", {2}}},
                          .outputs = {"y"}}));
  EXPECT_TRUE(Has(twice, "onnx-graph") && Has(twice, "`y`")) << twice;
}

TEST(ImportErrors, NodesAreNamed) {
  // An error of the builder, of an attribute, of an input.
  const std::string shapes = ErrorOf(ModelBytes({.nodes = {{"Add", {"x", "y"}, {"z"}}},
                                                 .inputs = {{"x", {2}}, {"y", {3}}},
                                                 .outputs = {"z"}}));
  EXPECT_TRUE(Has(shapes, "graph-argument") && Has(shapes, "in node `z` (Add, opset 21)"))
      << shapes;
  const std::string unknown =
      ErrorOf(ModelBytes({.nodes = {{"Relu", {"x"}, {"y"}, {IntAttribute("slope", 1)}}},
                          .inputs = {{"x", {2}}},
                          .outputs = {"y"}}));
  EXPECT_TRUE(Has(unknown, "onnx-attribute") && Has(unknown, "`slope` of node `y`")) << unknown;
  const std::string missing = ErrorOf(
      ModelBytes({.nodes = {{"Add", {"x"}, {"y"}}}, .inputs = {{"x", {2}}}, .outputs = {"y"}}));
  EXPECT_NE(missing, "");
  const std::string absent = ErrorOf(ModelBytes(
      {.nodes = {{"MatMul", {"x", ""}, {"y"}}}, .inputs = {{"x", {2}}}, .outputs = {"y"}}));
  EXPECT_TRUE(Has(absent, "onnx-node") && Has(absent, "lacks input 1")) << absent;
}

TEST(ImportErrors, TensorsThatDoNotFit) {
  const auto with = [&](const std::string& tensor) {
    return ErrorOf(ModelBytes({.nodes = {{"Add", {"x", "w"}, {"y"}}},
                               .inputs = {{"x", {2}}},
                               .outputs = {"y"},
                               .initializers = {tensor}}));
  };
  EXPECT_TRUE(Has(with(FloatTensor("w", {3}, {1, 2})), "onnx-tensor"));
  // A claim of 4 GB, and one that overflows.
  EXPECT_TRUE(Has(with(FloatTensor("w", {1 << 30}, {1})), "onnx-tensor"));
  EXPECT_TRUE(Has(with(FloatTensor("w", {INT64_MAX, INT64_MAX}, {1})), "onnx-tensor"));
  EXPECT_TRUE(Has(with(FloatTensor("w", {-1}, {1})), "onnx-tensor"));
  EXPECT_TRUE(
      Has(with(Message().Int(1, 1).Int(2, 8).Bytes(8, "w").Bytes(6, "text").bytes()), "STRING"));
}

TEST(ImportErrors, EveryPrefixAndEveryFlippedBit) {
  const std::string bytes =
      ModelBytes({.nodes = {{"Gemm", {"x", "w"}, {"y"}, {IntAttribute("transB", 1)}}},
                  .inputs = {{"x", {-1, 2}}},
                  .outputs = {"y"},
                  .initializers = {FloatTensor("w", {3, 2}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_EQ(ErrorOf(bytes), "");
  int errors = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    errors += ErrorOf(bytes.substr(0, size)).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 50);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      ErrorOf(flipped);  // an Error at most
    }
  }
  EXPECT_TRUE(Has(ErrorOf(""), "onnx-malformed"));
  // A length of 1 GB.
  EXPECT_TRUE(Has(ErrorOf(std::string("\x3A\x80\x80\x80\x80\x04", 6)), "onnx-malformed"));
}

TEST(ImportErrors, DeepGraphsAndFunctions) {
  std::string graph =
      GraphBytes({.nodes = {{"Relu", {"x"}, {"y"}}}, .inputs = {}, .outputs = {"y"}});
  for (int depth = 0; depth < 10000; ++depth) {
    // By hand: a graph with one node with a graph.
    const std::string attribute = Message().Bytes(6, graph).bytes();
    graph = Message().Bytes(1, Message().Bytes(5, attribute).bytes()).bytes();
  }
  EXPECT_TRUE(Has(ErrorOf(Message().Bytes(7, graph).bytes()), "onnx-too-deep"));
  // Each function calls the next one twice.
  TestGraph model{
      .nodes = {{"f0", {"x"}, {"y"}, {}, "test"}}, .inputs = {{"x", {2}}}, .outputs = {"y"}};
  for (int i = 0; i < 60; ++i) {
    const std::string next = i == 59 ? "f0" : "f" + std::to_string(i + 1);
    model.functions.push_back(FunctionBytes(
        "f" + std::to_string(i),
        {.nodes = {{next, {"a"}, {"b"}, {}, "test"}, {next, {"b"}, {"c"}, {}, "test"}},
         .inputs = {{"a", {}}},
         .outputs = {"c"}}));
  }
  EXPECT_TRUE(Has(ErrorOf(ModelBytes(model)), "onnx-too-deep"));
}

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/external_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_ + "/model/data");
    const std::vector<float> values{1, 2};
    const std::string bytes(reinterpret_cast<const char*>(values.data()), 8);
    ASSERT_TRUE(WriteFile(folder_ + "/outside.bin", bytes).ok());
    ASSERT_TRUE(WriteFile(folder_ + "/model/data/inside.bin", bytes).ok());
    ASSERT_TRUE(WriteFile(folder_ + "/model/short.bin", "1234").ok());
    std::filesystem::create_symlink("../outside.bin", folder_ + "/model/link.bin");
    std::filesystem::create_directory_symlink("..", folder_ + "/model/up");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string ErrorWith(const std::string& location) {
    const std::string path = folder_ + "/model/m.onnx";
    EXPECT_TRUE(WriteFile(path, ModelBytes({.nodes = {{"Add", {"x", "w"}, {"y"}}},
                                            .inputs = {{"x", {2}}},
                                            .outputs = {"y"},
                                            .initializers = {ExternalTensor("w", 2, location)}}))
                    .ok());
    try {
      ImportModel(*LoadModel(path));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string folder_;
};

TEST_F(ExternalData, OnlyWithinTheFolder) {
  EXPECT_EQ(ErrorWith("data/inside.bin"), "");
  for (const char* location : {"../outside.bin", "data/../../outside.bin", "link.bin",
                               "up/outside.bin", "missing.bin", "short.bin", "data", ""}) {
    EXPECT_TRUE(Has(ErrorWith(location),
                    location == std::string("short.bin") ? "onnx-tensor" : "onnx-external-data"))
        << location << ": " << ErrorWith(location);
  }
  EXPECT_TRUE(Has(ErrorWith(folder_ + "/outside.bin"), "onnx-external-data"));
}

TEST(Load, AlignedWeightsAreViewsOfTheFile) {
  const std::string path = testing::TempDir() + "/aligned_" + std::to_string(getpid()) + ".onnx";
  // The name in front moves the data to a multiple of 64 bytes.
  for (size_t length = 1; length <= 64; ++length) {
    const TestGraph graph{.nodes = {{"Add", {"x", std::string(length, 'w')}, {"y"}}},
                          .inputs = {{"x", {16}}},
                          .outputs = {"y"},
                          .initializers = {FloatTensor(std::string(length, 'w'), {16},
                                                       std::vector<float>(16, 1.5F))}};
    ASSERT_TRUE(WriteFile(path, ModelBytes(graph)).ok());
    const LoadedModel model = *LoadModel(path);
    const TensorData& tensor = model.model.graph.initializers[0];
    if (reinterpret_cast<uintptr_t>(tensor.raw.data()) % 64 != 0) continue;
    EXPECT_EQ(TensorReader(model).Read(tensor).data->data(), tensor.raw.data());
    std::filesystem::remove(path);
    return;
  }
  FAIL() << "no length aligned the data";
}

TEST(Load, FilesThatAreNone) {
  EXPECT_TRUE(Has(std::string(LoadModel("/nowhere/model.onnx").status().message()), "[onnx-file]"));
  EXPECT_FALSE(LoadModel("/dev/null").ok());
}

TEST(Documentation, ListsTheOperators) {
  std::string page;
  ASSERT_TRUE(ReadFile("docs/onnx.md", kAnySize, &page).ok());
  std::string list;
  for (const std::string& name : SupportedOperators()) list += (list.empty() ? "" : ", ") + name;
  EXPECT_NE(page.find("\n" + list + ".\n"), std::string::npos)
      << "docs/onnx.md must have the list:\n"
      << list << ".";
}

}  // namespace
}  // namespace lathe::graph::onnx
