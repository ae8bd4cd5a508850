// Graphs of TensorFlow as bytes, for tests and as seeds of fuzzers.
//
//   const std::string bytes = GraphBytes({{"x", "Placeholder", {}, {TypeOf("dtype", 1)}},
//                                         {"y", "Relu", {"x"}}});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::graph::tensorflow {

struct TestNode {
  std::string name, op;
  std::vector<std::string> inputs = {};
  std::vector<std::string> attributes = {};  // TypeOf, ShapeOf, ...
};
struct TestFunction {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::vector<TestNode> nodes;
  std::vector<std::string> returns;  // of the outputs, in their order: "node:output:0"
};

std::string TypeOf(const std::string& name, int32_t type);
std::string IntOf(const std::string& name, int64_t value);
std::string FloatOf(const std::string& name, float value);
std::string BoolOf(const std::string& name, bool value);
std::string TextOf(const std::string& name, const std::string& value);
std::string IntsOf(const std::string& name, const std::vector<int64_t>& values);
std::string TextsOf(const std::string& name, const std::vector<std::string>& values);
std::string ShapeOf(const std::string& name, const std::vector<int64_t>& dims);
std::string FunctionOf(const std::string& name, const std::string& function);
std::string FunctionsOf(const std::string& name, const std::vector<std::string>& functions);

TestNode Input(const std::string& name, const std::vector<int64_t>& shape, int32_t type = 1);
TestNode Floats(const std::string& name, const std::vector<int64_t>& shape,
                const std::vector<float>& values);
TestNode Int32s(const std::string& name, const std::vector<int64_t>& shape,
                const std::vector<int32_t>& values);
std::string GraphBytes(const std::vector<TestNode>& nodes,
                       const std::vector<TestFunction>& functions = {});

}  // namespace lathe::graph::tensorflow
