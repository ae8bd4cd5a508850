// Models of ONNX as bytes, for tests and as seeds of fuzzers.
//
//   const std::string bytes = ModelBytes({.nodes = {{"Relu", {"x"}, {"y"}}},
//                                         .inputs = {{"x", {2, 3}}}, .outputs = {"y"}});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::graph::onnx {

// A message of protobuf, field by field.
class Message {
 public:
  Message& Int(uint32_t field, int64_t value);
  Message& Bytes(uint32_t field, std::string_view bytes);
  Message& Float(uint32_t field, float value);
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value);
  std::string bytes_;
};

struct TestNode {
  std::string op;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes = {};  // IntsAttribute, ...
  std::string domain = "";
};
struct TestValue {
  std::string name;
  std::vector<int64_t> shape;  // -1: the size "n"
  int32_t type = 1;            // float32
};
struct TestGraph {
  std::vector<TestNode> nodes;
  std::vector<TestValue> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> initializers = {};  // FloatTensor, ...
  std::vector<std::string> functions = {};     // FunctionBytes
  std::vector<std::string> sparse = {};        // SparseTensor
  int64_t opset = 21;
};

std::string IntAttribute(const std::string& name, int64_t value);
std::string FloatAttribute(const std::string& name, float value);
std::string StringAttribute(const std::string& name, const std::string& value);
std::string IntsAttribute(const std::string& name, const std::vector<int64_t>& values);
std::string StringsAttribute(const std::string& name, const std::vector<std::string>& values);
std::string FloatsAttribute(const std::string& name, const std::vector<float>& values);
std::string GraphAttribute(const std::string& name, const std::string& graph);
std::string TensorAttribute(const std::string& name, const std::string& tensor);
std::string SparseAttribute(const std::string& name, const std::string& sparse);
// The value of an attribute of the function around the node.
std::string ReferenceAttribute(const std::string& name, const std::string& of_function);
std::string FloatTensor(const std::string& name, const std::vector<int64_t>& shape,
                        const std::vector<float>& values);
// Elements of any type, as bytes.
std::string RawTensor(const std::string& name, int32_t type, const std::vector<int64_t>& shape,
                      std::string_view bytes);
std::string IntTensor(const std::string& name, const std::vector<int64_t>& values);
// `values` has the name; see RawTensor.
std::string SparseTensor(const std::string& values, const std::string& indices,
                         const std::vector<int64_t>& shape);
std::string ExternalTensor(const std::string& name, int64_t elements, const std::string& location);
std::string FunctionBytes(const std::string& name, const TestGraph& body);
std::string GraphBytes(const TestGraph& graph);
std::string ModelBytes(const TestGraph& graph);

}  // namespace lathe::graph::onnx
