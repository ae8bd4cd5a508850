#include "graph/import/onnx/test_models.h"

#include <cstring>

namespace lathe::graph::onnx {

void Message::Varint(uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value | 128));
  bytes_.push_back(static_cast<char>(value));
}

Message& Message::Int(uint32_t field, int64_t value) {
  Varint(uint64_t{field} << 3);
  Varint(static_cast<uint64_t>(value));
  return *this;
}

Message& Message::Bytes(uint32_t field, std::string_view bytes) {
  Varint(uint64_t{field} << 3 | 2);
  Varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

Message& Message::Float(uint32_t field, float value) {
  Varint(uint64_t{field} << 3 | 5);
  char raw[sizeof(value)];
  std::memcpy(raw, &value, sizeof(value));
  bytes_.append(raw, sizeof(raw));
  return *this;
}

std::string IntAttribute(const std::string& name, int64_t value) {
  return Message().Bytes(1, name).Int(3, value).Int(20, 2).bytes();
}

std::string FloatAttribute(const std::string& name, float value) {
  return Message().Bytes(1, name).Float(2, value).Int(20, 1).bytes();
}

std::string StringAttribute(const std::string& name, const std::string& value) {
  return Message().Bytes(1, name).Bytes(4, value).Int(20, 3).bytes();
}

std::string IntsAttribute(const std::string& name, const std::vector<int64_t>& values) {
  Message message;
  message.Bytes(1, name).Int(20, 7);
  for (const int64_t value : values) message.Int(8, value);
  return message.bytes();
}

std::string StringsAttribute(const std::string& name, const std::vector<std::string>& values) {
  Message message;
  message.Bytes(1, name).Int(20, 8);
  for (const std::string& value : values) message.Bytes(9, value);
  return message.bytes();
}

std::string FloatsAttribute(const std::string& name, const std::vector<float>& values) {
  Message message;
  message.Bytes(1, name).Int(20, 6);
  for (const float value : values) message.Float(7, value);
  return message.bytes();
}

std::string GraphAttribute(const std::string& name, const std::string& graph) {
  return Message().Bytes(1, name).Bytes(6, graph).Int(20, 5).bytes();
}

std::string TensorAttribute(const std::string& name, const std::string& tensor) {
  return Message().Bytes(1, name).Bytes(5, tensor).Int(20, 4).bytes();
}

std::string SparseAttribute(const std::string& name, const std::string& sparse) {
  return Message().Bytes(1, name).Bytes(22, sparse).Int(20, 11).bytes();
}

std::string ReferenceAttribute(const std::string& name, const std::string& of_function) {
  return Message().Bytes(1, name).Bytes(21, of_function).Int(20, 2).bytes();
}

std::string FloatTensor(const std::string& name, const std::vector<int64_t>& shape,
                        const std::vector<float>& values) {
  return RawTensor(name, 1, shape,
                   {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

std::string RawTensor(const std::string& name, int32_t type, const std::vector<int64_t>& shape,
                      std::string_view bytes) {
  Message message;
  for (const int64_t extent : shape) message.Int(1, extent);
  return message.Int(2, type).Bytes(8, name).Bytes(9, bytes).bytes();
}

std::string IntTensor(const std::string& name, const std::vector<int64_t>& values) {
  Message message;
  message.Int(1, static_cast<int64_t>(values.size())).Int(2, 7).Bytes(8, name);
  for (const int64_t value : values) message.Int(7, value);
  return message.bytes();
}

std::string SparseTensor(const std::string& values, const std::string& indices,
                         const std::vector<int64_t>& shape) {
  Message message;
  message.Bytes(1, values).Bytes(2, indices);
  for (const int64_t extent : shape) message.Int(3, extent);
  return message.bytes();
}

std::string ExternalTensor(const std::string& name, int64_t elements, const std::string& location) {
  Message message;
  message.Int(1, elements).Int(2, 1).Bytes(8, name).Int(14, 1);
  message.Bytes(13, Message().Bytes(1, "location").Bytes(2, location).bytes());
  return message.bytes();
}

namespace {

std::string NodeBytes(const TestNode& node) {
  Message message;
  for (const std::string& input : node.inputs) message.Bytes(1, input);
  for (const std::string& output : node.outputs) message.Bytes(2, output);
  message.Bytes(4, node.op).Bytes(7, node.domain);
  for (const std::string& attribute : node.attributes) message.Bytes(5, attribute);
  return message.bytes();
}

std::string ValueBytes(const TestValue& value) {
  Message shape;
  for (const int64_t extent : value.shape) {
    Message dim;
    if (extent < 0) {
      dim.Bytes(2, "n");
    } else {
      dim.Int(1, extent);
    }
    shape.Bytes(1, dim.bytes());
  }
  const std::string tensor = Message().Int(1, value.type).Bytes(2, shape.bytes()).bytes();
  return Message().Bytes(1, value.name).Bytes(2, Message().Bytes(1, tensor).bytes()).bytes();
}

std::string OpsetBytes(int64_t version) { return Message().Bytes(1, "").Int(2, version).bytes(); }

}  // namespace

std::string FunctionBytes(const std::string& name, const TestGraph& body) {
  Message message;
  message.Bytes(1, name).Bytes(10, "test");
  for (const TestValue& input : body.inputs) message.Bytes(4, input.name);
  for (const std::string& output : body.outputs) message.Bytes(5, output);
  for (const TestNode& node : body.nodes) message.Bytes(7, NodeBytes(node));
  return message.Bytes(9, OpsetBytes(body.opset)).bytes();
}

std::string GraphBytes(const TestGraph& graph) {
  Message message;
  for (const TestNode& node : graph.nodes) message.Bytes(1, NodeBytes(node));
  message.Bytes(2, "test");
  for (const std::string& tensor : graph.initializers) message.Bytes(5, tensor);
  for (const std::string& tensor : graph.sparse) message.Bytes(15, tensor);
  for (const TestValue& input : graph.inputs) message.Bytes(11, ValueBytes(input));
  for (const std::string& output : graph.outputs) {
    message.Bytes(12, Message().Bytes(1, output).bytes());
  }
  return message.bytes();
}

std::string ModelBytes(const TestGraph& graph) {
  Message message;
  message.Int(1, 9).Bytes(8, OpsetBytes(graph.opset)).Bytes(7, GraphBytes(graph));
  for (const std::string& function : graph.functions) message.Bytes(25, function);
  return message.bytes();
}

}  // namespace lathe::graph::onnx
