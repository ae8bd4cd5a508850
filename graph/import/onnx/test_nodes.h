// Models of one node, for tests: imported, and computed by the interpreter.
//
//   ResultsOf({"Relu", {"a"}, {"y"}}, {{{-1, 2}, {2}}}) == {{0, 2}}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/import/onnx/import.h"
#include "graph/import/onnx/test_models.h"

namespace lathe::graph::onnx {

// Numbers of TensorProto.DataType.
inline constexpr int32_t kFloats = 1, kBytes = 2, kShorts = 3, kInts = 6, kLongs = 7;

// The value of an input. The inputs of a node are named a, b, ...
struct Given {
  std::vector<float> values;
  std::vector<int64_t> shape;
  int32_t type = kFloats;
};

// `fixed` are inputs whose values are known at import, by name: "b". With `open`, sizes of images
// (dimensions 2 and later of inputs with three and more) have names.
ImportedModel ImportNode(const TestNode& node, const std::vector<Given>& inputs,
                         std::vector<std::string> initializers = {}, const std::string& fixed = "",
                         int64_t opset = 24, bool open = false);

// The results, each row-major.
std::vector<std::vector<float>> ResultsOf(const TestNode& node, const std::vector<Given>& inputs,
                                          std::vector<std::string> initializers = {},
                                          const std::string& fixed = "", int64_t opset = 24,
                                          bool open = false);

}  // namespace lathe::graph::onnx
