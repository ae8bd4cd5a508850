#include "graph/import/tensorflow/test_models.h"

#include "graph/import/onnx/test_models.h"

namespace lathe::graph::tensorflow {
namespace {

using onnx::Message;

std::string Entry(const std::string& name, const std::string& value) {
  return Message().Bytes(1, name).Bytes(2, value).bytes();
}

std::string ShapeBytes(const std::vector<int64_t>& dims) {
  Message shape;
  for (const int64_t dim : dims) shape.Bytes(2, Message().Int(1, dim).bytes());
  return shape.bytes();
}

std::string NodeBytes(const TestNode& node) {
  Message message;
  message.Bytes(1, node.name).Bytes(2, node.op);
  for (const std::string& input : node.inputs) message.Bytes(3, input);
  for (const std::string& attribute : node.attributes) message.Bytes(5, attribute);
  return message.bytes();
}

template <class T>
TestNode Constant(const std::string& name, const std::vector<int64_t>& shape,
                  const std::vector<T>& values, int32_t type) {
  const std::string content(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(T));
  const std::string tensor =
      Message().Int(1, type).Bytes(2, ShapeBytes(shape)).Bytes(4, content).bytes();
  return {name,
          "Const",
          {},
          {TypeOf("dtype", type), Entry("value", Message().Bytes(8, tensor).bytes())}};
}

}  // namespace

std::string TypeOf(const std::string& name, int32_t type) {
  return Entry(name, Message().Int(6, type).bytes());
}
std::string IntOf(const std::string& name, int64_t value) {
  return Entry(name, Message().Int(3, value).bytes());
}
std::string FloatOf(const std::string& name, float value) {
  return Entry(name, Message().Float(4, value).bytes());
}
std::string BoolOf(const std::string& name, bool value) {
  return Entry(name, Message().Int(5, value ? 1 : 0).bytes());
}
std::string TextOf(const std::string& name, const std::string& value) {
  return Entry(name, Message().Bytes(2, value).bytes());
}
std::string IntsOf(const std::string& name, const std::vector<int64_t>& values) {
  Message list;
  for (const int64_t value : values) list.Int(3, value);
  return Entry(name, Message().Bytes(1, list.bytes()).bytes());
}
std::string TextsOf(const std::string& name, const std::vector<std::string>& values) {
  Message list;
  for (const std::string& value : values) list.Bytes(2, value);
  return Entry(name, Message().Bytes(1, list.bytes()).bytes());
}
std::string ShapeOf(const std::string& name, const std::vector<int64_t>& dims) {
  return Entry(name, Message().Bytes(7, ShapeBytes(dims)).bytes());
}
std::string FunctionOf(const std::string& name, const std::string& function) {
  return Entry(name, Message().Bytes(10, Message().Bytes(1, function).bytes()).bytes());
}
std::string FunctionsOf(const std::string& name, const std::vector<std::string>& functions) {
  Message list;
  for (const std::string& function : functions) {
    list.Bytes(9, Message().Bytes(1, function).bytes());
  }
  return Entry(name, Message().Bytes(1, list.bytes()).bytes());
}

TestNode Input(const std::string& name, const std::vector<int64_t>& shape, int32_t type) {
  return {name, "Placeholder", {}, {TypeOf("dtype", type), ShapeOf("shape", shape)}};
}
TestNode Floats(const std::string& name, const std::vector<int64_t>& shape,
                const std::vector<float>& values) {
  return Constant(name, shape, values, 1);
}
TestNode Int32s(const std::string& name, const std::vector<int64_t>& shape,
                const std::vector<int32_t>& values) {
  return Constant(name, shape, values, 3);
}

std::string GraphBytes(const std::vector<TestNode>& nodes,
                       const std::vector<TestFunction>& functions) {
  Message graph, library;
  for (const TestNode& node : nodes) graph.Bytes(1, NodeBytes(node));
  for (const TestFunction& function : functions) {
    Message signature, message;
    signature.Bytes(1, function.name);
    for (const std::string& input : function.inputs) {
      signature.Bytes(2, Message().Bytes(1, input).bytes());
    }
    for (const std::string& output : function.outputs) {
      signature.Bytes(3, Message().Bytes(1, output).bytes());
    }
    message.Bytes(1, signature.bytes());
    for (const TestNode& node : function.nodes) message.Bytes(3, NodeBytes(node));
    for (size_t i = 0; i < function.returns.size(); ++i) {
      message.Bytes(4, Entry(function.outputs[i], function.returns[i]));
    }
    library.Bytes(1, message.bytes());
  }
  if (!functions.empty()) graph.Bytes(2, library.bytes());
  return graph.bytes();
}

}  // namespace lathe::graph::tensorflow
