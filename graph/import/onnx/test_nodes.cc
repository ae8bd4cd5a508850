#include "graph/import/onnx/test_nodes.h"

#include "base/error.h"
#include "graph/interpreter/interpreter.h"

namespace lathe::graph::onnx {
namespace {

using runtime::Tensor;

template <class T>
Tensor As(const Given& given, DataType dtype) {
  std::vector<T> values;
  for (const float value : given.values) values.push_back(static_cast<T>(value));
  return *Tensor::FromHost(values.data(), values.size() * sizeof(T), given.shape, dtype);
}

Tensor TensorOf(const Given& given) {
  switch (given.type) {
    case kBytes:
      return As<uint8_t>(given, DataType::UInt(8));
    case kShorts:
      return As<int8_t>(given, DataType::Int(8));
    case kInts:
      return As<int32_t>(given, DataType::Int(32));
    case kLongs:
      return As<int64_t>(given, DataType::Int(64));
    default:
      return As<float>(given, DataType::Float(32));
  }
}

const char* BytesOf(const Tensor& tensor) {
  return static_cast<const char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

template <class T>
std::vector<float> As(const Tensor& tensor) {
  const T* data = reinterpret_cast<const T*>(BytesOf(tensor));
  std::vector<float> numbers;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    numbers.push_back(static_cast<float>(data[i]));
  }
  return numbers;
}

std::vector<float> NumbersOf(const Tensor& tensor) {
  const DataType dtype = tensor.dtype();
  if (dtype == DataType::UInt(8)) return As<uint8_t>(tensor);
  if (dtype == DataType::Int(8)) return As<int8_t>(tensor);
  if (dtype == DataType::Int(32)) return As<int32_t>(tensor);
  if (dtype == DataType::Int(64)) return As<int64_t>(tensor);
  LATHE_CHECK(dtype == DataType::Float(32)) << "tests of nodes do not read " << dtype.ToString();
  return As<float>(tensor);
}

std::string NameOf(size_t input) { return std::string(1, static_cast<char>('a' + input)); }

}  // namespace

ImportedModel ImportNode(const TestNode& node, const std::vector<Given>& inputs,
                         std::vector<std::string> initializers, const std::string& fixed,
                         int64_t opset, bool open) {
  TestGraph graph{.nodes = {node},
                  .inputs = {},
                  .outputs = {},
                  .initializers = std::move(initializers),
                  .opset = opset};
  for (const std::string& output : node.outputs) {
    if (!output.empty()) graph.outputs.push_back(output);
  }
  ImportOptions options;
  for (size_t i = 0; i < inputs.size(); ++i) {
    graph.inputs.push_back({NameOf(i), inputs[i].shape, inputs[i].type});
    if (open && inputs[i].shape.size() > 2) {
      std::vector<Extent>& shape = options.shapes[NameOf(i)];
      for (size_t d = 0; d < inputs[i].shape.size(); ++d) {
        shape.push_back(d < 2 ? Extent(inputs[i].shape[d]) : Extent("size" + std::to_string(d)));
      }
    }
    if (fixed.find(NameOf(i)) == std::string::npos) continue;
    const Tensor value = TensorOf(inputs[i]);
    options.values[NameOf(i)] = TensorValue{value.dtype(), inputs[i].shape,
                                            Blob::Copy({BytesOf(value), value.num_bytes()})};
  }
  return ImportModel(ParseModel(ModelBytes(graph)), options);
}

std::vector<std::vector<float>> ResultsOf(const TestNode& node, const std::vector<Given>& inputs,
                                          std::vector<std::string> initializers,
                                          const std::string& fixed, int64_t opset, bool open) {
  const ImportedModel model = ImportNode(node, inputs, std::move(initializers), fixed, opset, open);
  std::vector<GraphValue> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (fixed.find(NameOf(i)) == std::string::npos) values.emplace_back(TensorOf(inputs[i]));
  }
  const GraphValue result = Interpret(model.module, "main", std::move(values));
  if (result.kind == GraphValue::Kind::kTensor) return {NumbersOf(result.tensor)};
  std::vector<std::vector<float>> all;
  for (const GraphValue& field : result.fields) all.push_back(NumbersOf(field.tensor));
  return all;
}

}  // namespace lathe::graph::onnx
