// Reading and importing models: what is made, and each error by name.
#include "graph/import/tflite/import.h"

#include <algorithm>

#include "base/address_sanitizer.h"
#include "base/error.h"
#include "base/file.h"
#include "graph/builder.h"
#include "graph/import/fixed_point.h"
#include "graph/import/tflite/coverage.h"
#include "graph/import/tflite/test_models.h"
#include "graph/interpreter/interpreter.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"

namespace lathe::graph::tflite {
namespace {

using runtime::Tensor;

// Numbers of operators in the schema.
enum Code : int32_t {
  kAddOp = 0,
  kConv2D = 3,
  kFullyConnected = 9,
  kRelu = 19,
  kReshape = 22,
  kSkipGram = 30,
  kStridedSlice = 45,
  kLess = 58,
  kIf = 118,
  kWhile = 119
};

std::string ErrorOf(const std::string& bytes, const ImportOptions& options = {}) {
  try {
    ImportModel(ParseModel(bytes), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class T>
Tensor TensorOf(const std::vector<T>& values, std::vector<int64_t> shape, DataType dtype) {
  return *Tensor::FromHost(values.data(), values.size() * sizeof(T), shape, dtype);
}

template <class T>
std::vector<T> ResultOf(const ImportedModel& model, std::vector<GraphValue> inputs) {
  const Tensor out = Interpret(model.module, "main", std::move(inputs)).tensor;
  const auto* data = static_cast<const T*>(out.dl().data);
  return {data, data + out.num_elements()};
}

const FlatTable kReluOptions = FlatTable().Number<int8_t>(0, 1);

TestGraph Dense() {
  return {.tensors = {{"x", {1, 2}},
                      {"w", {3, 2}, 0, DataOf<float>({1, 2, 3, 4, -5, -6})},
                      {"b", {3}, 0, DataOf<float>({0.5F, 0, 0})},
                      {"dense/Relu", {1, 3}}},
          .operators = {{kFullyConnected, {0, 1, 2}, {3}, 8, kReluOptions}},
          .inputs = {0},
          .outputs = {3}};
}

TEST(Import, ADenseLayer) {
  const ImportedModel model = ImportModel(ParseModel(ModelBytes({Dense()})));
  EXPECT_EQ(model.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(model.outputs, std::vector<std::string>{"dense/Relu"});
  const Tensor x = TensorOf<float>({1, -0.5F}, {1, 2}, DataType::Float(32));
  EXPECT_EQ(ResultOf<float>(model, {x}), (std::vector<float>{0.5F, 1, 0}));
}

TEST(Import, SizesByName) {
  const ImportedModel model =
      ImportModel(ParseModel(ModelBytes({Dense()})), {.shapes = {{"x", {"batch", 2}}}});
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type), "float32[batch, 3]");
}

TEST(Import, WeightsAsInputs) {
  const ImportedModel model =
      ImportModel(ParseModel(ModelBytes({Dense()})), {.weights_are_inputs = true});
  EXPECT_EQ(model.inputs, (std::vector<std::string>{"x", "w", "b"}));
  EXPECT_EQ(model.weights.size(), 2U);
}

TestGraph QuantisedConv() {
  return {
      .tensors = {{"x", {1, 2, 2, 1}, 9, "", {0.5F}, {3}},
                  {"w", {2, 1, 1, 1}, 9, DataOf<int8_t>({100, -77}), {0.01F, 0.02F}, {0, 0}},
                  {"b", {2}, 2, DataOf<int32_t>({40, -7})},
                  {"y", {1, 2, 2, 2}, 9, "", {0.3F}, {-5}}},
      .operators = {{kConv2D,
                     {0, 1, 2},
                     {3},
                     1,
                     FlatTable().Number<int32_t>(1, 1).Number<int32_t>(2, 1).Number<int8_t>(3, 1)}},
      .inputs = {0},
      .outputs = {3}};
}

TEST(Import, AQuantisedConvolutionIsExact) {
  const ImportedModel model = ImportModel(ParseModel(ModelBytes({QuantisedConv()})));
  const std::vector<int8_t> x{-128, 3, 77, 127};
  std::vector<int8_t> expected;
  for (const int8_t q : x) {
    const int weights[] = {100, -77}, biases[] = {40, -7};
    const float scales[] = {0.01F, 0.02F};
    for (int k = 0; k < 2; ++k) {
      const double factor = 0.5 * static_cast<double>(scales[k]) / static_cast<double>(0.3F);
      const int64_t sum = int64_t{q - 3} * weights[k] + biases[k];
      const int64_t y = Multiply(sum, ToFixedPoint(factor)) - 5;
      expected.push_back(static_cast<int8_t>(std::clamp<int64_t>(y, -5, 127)));
    }
  }
  EXPECT_EQ(ResultOf<int8_t>(model, {TensorOf(x, {1, 2, 2, 1}, DataType::Int(8))}), expected);
}

TEST(Import, ImagesStayInTheirOrder) {
  const std::string text =
      ir::ToText(ImportModel(ParseModel(ModelBytes({QuantisedConv()}))).module);
  EXPECT_TRUE(Has(text, "data_layout=\"NHWC\"")) << text;
  // The filter is arranged anew, and nothing else.
  EXPECT_EQ(text.find("transpose("), text.rfind("transpose(")) << text;
}

TEST(Import, FixedPoint) {
  // Halves: up after the product, and away from 0 after the shift.
  const FixedPoint half = ToFixedPoint(0.5);
  EXPECT_EQ(half.multiplier, 1 << 30);
  EXPECT_EQ(half.shift, 0);
  EXPECT_EQ(Multiply(3, half), 2);
  EXPECT_EQ(Multiply(-3, half), -1);
  EXPECT_EQ(Multiply(-6, ToFixedPoint(0.25)), -2);  // -3 after the product
  EXPECT_EQ(Multiply(7, ToFixedPoint(8)), 56);
  EXPECT_EQ(Multiply(7, ToFixedPoint(0)), 0);
}

TestGraph WithShape(bool known) {
  TestGraph graph{.tensors = {{"x", {2, 3}}, {"s", {2}, 2}, {"y", {3, 2}}},
                  .operators = {{kReshape, {0, 1}, {2}}},
                  .inputs = {0},
                  .outputs = {2}};
  if (known) {
    graph.tensors[1].data = DataOf<int32_t>({3, -1});
  } else {
    graph.inputs.push_back(1);
  }
  return graph;
}

TEST(Import, ShapesMustBeKnown) {
  EXPECT_EQ(ErrorOf(ModelBytes({WithShape(true)})), "");
  const std::string error = ErrorOf(ModelBytes({WithShape(false)}));
  EXPECT_TRUE(Has(error, "tflite-value-needed") && Has(error, "the input `s`") &&
              Has(error, "RESHAPE"))
      << error;
}

// i < 3: (i + 1, v + v).
std::vector<TestGraph> Loop() {
  const FlatTable graphs = FlatTable().Number<int32_t>(0, 1).Number<int32_t>(1, 2);
  return {
      {.tensors = {{"i", {}, 2, DataOf<int32_t>({0})}, {"x", {2}}, {"n", {}, 2}, {"y", {2}}},
       .operators = {{kWhile, {0, 1}, {2, 3}, 93, graphs}},
       .inputs = {1},
       .outputs = {3}},
      {.tensors = {{"i", {}, 2}, {"v", {2}}, {"k", {}, 2, DataOf<int32_t>({3})}, {"t", {}, 6}},
       .operators = {{kLess, {0, 2}, {3}}},
       .inputs = {0, 1},
       .outputs = {3}},
      {.tensors =
           {{"i", {}, 2}, {"v", {2}}, {"k", {}, 2, DataOf<int32_t>({1})}, {"j", {}, 2}, {"w", {2}}},
       .operators = {{kAddOp, {0, 2}, {3}}, {kAddOp, {1, 1}, {4}}},
       .inputs = {0, 1},
       .outputs = {3, 4}}};
}

TEST(Import, ALoop) {
  const ImportedModel model = ImportModel(ParseModel(ModelBytes(Loop())));
  EXPECT_TRUE(Has(ir::ToText(model.module), "loop"));
  const Tensor x = TensorOf<float>({1, 2}, {2}, DataType::Float(32));
  EXPECT_EQ(ResultOf<float>(model, {x}), (std::vector<float>{8, 16}));
}

TEST(Import, ALoopWhoseShapesChangeIsUnrolled) {
  std::vector<TestGraph> graphs = Loop();
  graphs[2].operators[1] = {2, {1, 1}, {4}, 10, FlatTable()};  // CONCATENATION along axis 0
  const ImportedModel model = ImportModel(ParseModel(ModelBytes(graphs)));
  EXPECT_EQ(TypeText(model.module->functions[0]->result_type), "float32[16]");
}

TEST(Import, ArmsOfACondition) {
  const FlatTable arms = FlatTable().Number<int32_t>(0, 1).Number<int32_t>(1, 2);
  const TestGraph twice{.tensors = {{"a", {2}}, {"b", {2}}},
                        .operators = {{kAddOp, {0, 0}, {1}}},
                        .inputs = {0},
                        .outputs = {1}};
  const TestGraph relu{.tensors = {{"a", {2}}, {"b", {2}}},
                       .operators = {{kRelu, {0}, {1}}},
                       .inputs = {0},
                       .outputs = {1}};
  const ImportedModel model =
      ImportModel(ParseModel(ModelBytes({{.tensors = {{"c", {}, 6}, {"x", {2}}, {"y", {2}}},
                                          .operators = {{kIf, {0, 1}, {2}, 92, arms}},
                                          .inputs = {0, 1},
                                          .outputs = {2}},
                                         twice,
                                         relu})));
  const Tensor x = TensorOf<float>({-1, 2}, {2}, DataType::Float(32));
  for (const uint8_t c : {0, 1}) {
    const Tensor condition = TensorOf<uint8_t>({c}, {}, DataType::Bool());
    EXPECT_EQ(ResultOf<float>(model, {condition, x}),
              c != 0 ? (std::vector<float>{-2, 4}) : (std::vector<float>{0, 2}));
  }
}

TEST(Import, AQuantisedLstmIsExact) {
  const ImportedModel model = ImportModel(ParseModel(ModelBytes({QuantisedLstm()})));
  const std::vector<int8_t> x{-117, -80, -43, -6, 31, 68, 105, -114, -77, -40, -3, 34};
  // Of LiteRT's reference kernel.
  EXPECT_EQ(
      ResultOf<int8_t>(model, {TensorOf(x, {2, 3, 2}, DataType::Int(8))}),
      (std::vector<int8_t>{102, 31, 5, 117, 115, 4, 5, 127, 71, 5, 4, 4, 96, 39, 5, 5, 107, 50}));
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({QuantisedLstm(0.001F)})), "2^-15 to 2^-9"));
  TestGraph other = QuantisedLstm();
  other.operators[0].intermediates.clear();
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({other})), "no scales of its steps"));
  other = QuantisedLstm();
  other.tensors[14].type = 9;
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({other})), "in tensor `memory`"));
}

// The page is written by //graph/import/tflite:coverage_table.
TEST(Documentation, HasTheTableOfOperators) {
  std::string page;
  ASSERT_TRUE(ReadFile("docs/tflite.md", kAnySize, &page).ok());
  EXPECT_TRUE(Has(page, CoverageTable())) << CoverageTable();
}

// -- Errors.

TEST(Errors, AllUnsupportedOperatorsAtOnce) {
  const std::string error = ErrorOf(ModelBytes({{.tensors = {{"x", {2}}, {"y", {2}}},
                                                 .operators = {{kSkipGram, {0}, {1}},
                                                               {kSkipGram, {0}, {1}},
                                                               {32, {0}, {1}, 0, {}, "FlexErf"},
                                                               {999, {0}, {1}}},
                                                 .inputs = {0},
                                                 .outputs = {1}}}));
  for (const char* part : {"tflite-unsupported", "3 operators", "2 x SKIP_GRAM: texts",
                           "1 x custom FlexErf: an operator of TensorFlow", "1 x operator 999"}) {
    EXPECT_TRUE(Has(error, part)) << part << "\n" << error;
  }
}

TEST(Errors, Graphs) {
  // A cycle, a tensor that two operators make, an output that none makes.
  TestGraph graph{.tensors = {{"x", {2}}, {"a", {2}}, {"b", {2}}},
                  .operators = {{kAddOp, {0, 2}, {1}}, {kAddOp, {0, 1}, {2}}},
                  .inputs = {0},
                  .outputs = {2}};
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "tflite-graph"));
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "reads `b`, which nothing before it makes"));
  graph.operators = {{kRelu, {0}, {1}}, {kRelu, {0}, {1}}};
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "two operators make the tensor `a`"));
  graph.operators = {{kRelu, {0}, {1}}};
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "nothing makes the output `b`"));
  // A graph that calls itself.
  std::vector<TestGraph> graphs = Loop();
  graphs[2].operators[1] = graphs[0].operators[0];
  graphs[2].operators[1].outputs = {3, 4};
  graphs[2].operators.erase(graphs[2].operators.begin());
  EXPECT_TRUE(Has(ErrorOf(ModelBytes(graphs)), "tflite-too-deep"));
}

TEST(Errors, Inputs) {
  const std::string bytes = ModelBytes({Dense()});
  EXPECT_TRUE(Has(ErrorOf(bytes, {.shapes = {{"z", {1}}}}), "tflite-input-unknown"));
  EXPECT_TRUE(Has(ErrorOf(bytes, {.shapes = {{"x", {1}}}}), "tflite-input-shape"));
  const std::string wrong = ErrorOf(bytes, {.shapes = {{"x", {1, 5}}}});
  EXPECT_TRUE(Has(wrong, "dense/Relu")) << wrong;
}

TEST(Errors, Tensors) {
  TestGraph graph = Dense();
  graph.tensors[1].data.resize(3);
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "tensor `w` has the wrong number of bytes"));
  graph = Dense();
  graph.tensors[1].is_sparse = true;
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "tensor `w` is sparse"));
  graph = Dense();
  graph.tensors[0].type = 5;
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "STRING"));
  graph = Dense();
  graph.tensors[3].type = 2;
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "has a result of another type"));
  graph = Dense();
  graph.tensors[1].shape = {INT32_MAX, INT32_MAX};
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "tflite-tensor"));
}

TEST(Errors, Operators) {
  TestGraph graph = Dense();
  graph.operators[0].options_type = 1;
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "tflite-operator"));
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "has options of another operator"));
  graph = Dense();
  graph.operators[0].options = FlatTable().Number<int8_t>(0, 5);
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "SIGN_BIT"));
  graph = QuantisedConv();
  graph.tensors[3].scale = {-1};
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "impossible scale"));
  graph = QuantisedConv();
  graph.operators[0].options = FlatTable();
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({graph})), "impossible window, stride"));
}

// An input that claims to have a million parts is refused before they are made.
TEST(Errors, PartsAreCounted) {
  const std::string unpack = ErrorOf(ModelBytes({{.tensors = {{"x", {1 << 20, 2}}, {"y", {2}}},
                                                  .operators = {{88, {0}, {1}, 64, FlatTable()}},
                                                  .inputs = {0},
                                                  .outputs = {1}}}));
  EXPECT_TRUE(Has(unpack, "another number of outputs")) << unpack;
}

TEST(Errors, Bytes) {
  EXPECT_TRUE(Has(ErrorOf(""), "tflite-malformed"));
  EXPECT_TRUE(Has(ErrorOf("no model at all"), "TFL3"));
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({Dense()}, 4)), "tflite-version"));
  EXPECT_TRUE(Has(ErrorOf(ModelBytes({})), "it has no graph"));
  EXPECT_FALSE(LoadModel("/nowhere/model.tflite").ok());
}

// Each prefix, and each flipped bit, gives a model or an error with a name.
TEST(Errors, DamagedFiles) {
  for (const std::string& whole : {ModelBytes({QuantisedConv()}), ModelBytes(Loop())}) {
    for (size_t size = 0; size < whole.size(); size += 3) ErrorOf(whole.substr(0, size));
    for (size_t bit = 0; bit < 8 * whole.size(); bit += kAddressSanitizer ? 7 : 1) {
      std::string bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      ErrorOf(bytes);
    }
  }
}

// Tables that refer to the same place many times.
TEST(Errors, HugeClaims) {
  std::string bytes = ModelBytes({Dense()});
  const FlatTable small;
  // A model whose list of graphs says that it has 2^28 entries.
  FlatTable model;
  model.Number<uint32_t>(0, 3).Tables(2, {small});
  bytes = model.File("TFL3");
  const size_t at = bytes.find(std::string("\x01\0\0\0", 4), 8);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 0x10;
  EXPECT_TRUE(Has(ErrorOf(bytes), "beyond the end of the file"));
}

}  // namespace
}  // namespace lathe::graph::tflite
