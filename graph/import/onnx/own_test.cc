// Converters of the caller's own: what they get, when they are asked, and what goes wrong.
#include "base/error.h"
#include "graph/builder.h"
#include "graph/import/onnx/import.h"
#include "graph/import/onnx/test_models.h"
#include "graph/interpreter/interpreter.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

using runtime::Tensor;

const TestGraph kRelu{.nodes = {{"Relu", {"x"}, {"y"}}}, .inputs = {{"x", {3}}}, .outputs = {"y"}};

// y = Scale(x, ""), in a domain of its own.
const TestGraph kScale{
    .nodes = {{"Scale",
               {"x", ""},
               {"y"},
               {FloatAttribute("by", 3), IntAttribute("n", 4), StringAttribute("s", "text"),
                IntsAttribute("list", {5, 6}), TensorAttribute("t", FloatTensor("", {1}, {7}))},
               "test"}},
    .inputs = {{"x", {2}}},
    .outputs = {"y"}};

ImportedModel With(const TestGraph& graph, const std::string& op, const OwnConverter& converter) {
  return ImportModel(ParseModel(ModelBytes(graph)), {.converters = {{op, converter}}});
}

std::vector<float> ResultOf(const ImportedModel& model, const std::vector<float>& x) {
  const int64_t shape[] = {static_cast<int64_t>(x.size())};
  const Tensor input =
      *Tensor::FromHost(x.data(), x.size() * sizeof(float), shape, DataType::Float(32));
  const Tensor out = Interpret(model.module, "main", {input}).tensor;
  const auto* data = static_cast<const float*>(out.dl().data);
  return {data, data + out.num_elements()};
}

// The error of an import of kScale; "" if there is none.
std::string ErrorOf(const ImportOptions& options) {
  try {
    ImportModel(ParseModel(ModelBytes(kScale)), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OwnConverters, GetANodeAndGiveItsResults) {
  const OwnConverter scale = [](const OwnNode& node) -> std::vector<ir::GraphVar> {
    EXPECT_EQ(node.title, "node `y` (test.Scale, opset 1)");
    EXPECT_EQ(node.inputs.size(), 2U);
    EXPECT_FALSE(node.inputs[1]);
    EXPECT_EQ(std::get<int64_t>(node.attributes.at("n")), 4);
    EXPECT_EQ(std::get<std::string>(node.attributes.at("s")), "text");
    EXPECT_EQ(std::get<std::vector<int64_t>>(node.attributes.at("list")),
              (std::vector<int64_t>{5, 6}));
    EXPECT_EQ(FloatsOf(std::get<TensorValue>(node.attributes.at("t"))), std::vector<double>{7});
    const ir::GraphVar by =
        node.make.Scalar(std::get<double>(node.attributes.at("by")), DataType::Float(32));
    return {node.make.Mul(node.inputs[0], by)};
  };
  const ImportedModel model = With(kScale, "test.Scale", scale);
  EXPECT_EQ(ResultOf(model, {1, 2}), (std::vector<float>{3, 6}));
}

TEST(OwnConverters, ComeBeforeOperatorsAndFunctions) {
  const OwnConverter minus = [](const OwnNode& node) -> std::vector<ir::GraphVar> {
    return {node.make.Call("negative", {node.inputs[0]})};
  };
  const ImportedModel relu = With(kRelu, "Relu", minus);
  EXPECT_EQ(ResultOf(relu, {1, 2, -3}), (std::vector<float>{-1, -2, 3}));
  // The function that is replaced may have operators that nobody knows.
  TestGraph graph = kScale;
  graph.functions = {FunctionBytes(
      "Scale", {.nodes = {{"Nonsense", {"a"}, {"b"}}}, .inputs = {{"a", {}}}, .outputs = {"b"}})};
  const ImportedModel scale = With(graph, "test.Scale", minus);
  EXPECT_EQ(ResultOf(scale, {1, 2}), (std::vector<float>{-1, -2}));
}

TEST(OwnConverters, ErrorsNameTheNode) {
  const auto with = [](const OwnConverter& converter) {
    return ErrorOf({.converters = {{"test.Scale", converter}}});
  };
  using Vars = std::vector<ir::GraphVar>;
  const std::string none = with([](const OwnNode&) { return Vars{ir::GraphVar()}; });
  EXPECT_TRUE(Has(none, "onnx-custom") && Has(none, "node `y`") && Has(none, "nothing")) << none;
  const std::string count = with([](const OwnNode&) { return Vars{}; });
  EXPECT_TRUE(Has(count, "onnx-custom") && Has(count, "wrong number of results")) << count;
  const std::string tuple =
      with([](const OwnNode& node) { return Vars{node.values.b().Tuple({node.inputs[0]})}; });
  EXPECT_TRUE(Has(tuple, "onnx-custom") && Has(tuple, "(float32[2]")) << tuple;
  const std::string wrong =
      with([](const OwnNode& node) { return Vars{node.make.Reshape(node.inputs[0], {Int64(3)})}; });
  EXPECT_TRUE(Has(wrong, "in node `y` (test.Scale, opset 1)")) << wrong;
  EXPECT_TRUE(Has(with({}), "onnx-custom"));
  const std::string unknown = ErrorOf({});
  EXPECT_TRUE(Has(unknown, "convert_map={\"test.Scale\"")) << unknown;
}

}  // namespace
}  // namespace lathe::graph::onnx
