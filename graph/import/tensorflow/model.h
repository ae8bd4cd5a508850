// A frozen graph of TensorFlow as it stands in the file: the messages of graph.proto that an import
// needs.
//
// Texts and data are views of the file's bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/dtype.h"

namespace lathe::graph::tensorflow {

using Text = std::string_view;

// Element types of types.proto.
enum ElementType : int32_t {
  kNoType = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};
// Nothing if no tensor of a graph can have it.
std::optional<DataType> DTypeOf(int32_t type);
// "DT_FLOAT", "DT_STRING".
std::string ElementTypeName(int32_t type);

struct Shape {
  bool has_rank = false;
  std::vector<int64_t> dims;  // -1: not known
};

struct TensorData {
  int32_t type = kNoType;
  Shape shape;
  bool has_content = false;
  Text content;
  std::vector<int64_t> ints;  // of half_val, int_val, int64_val, bool_val, ...
  std::vector<float> floats;
  std::vector<double> doubles;
};

struct Attribute {
  enum class Kind : uint8_t {
    kNone,
    kList,
    kText,
    kInt,
    kFloat,
    kBool,
    kType,
    kShape,
    kTensor,
    kFunction
  };
  Kind kind = Kind::kNone;
  Text text;  // of a text, or the name of a function
  int64_t i = 0;
  float f = 0;
  Shape shape;
  TensorData tensor;
  // Of a list.
  std::vector<Text> texts;
  std::vector<Text> functions;  // their names
  std::vector<int64_t> ints;    // or truth values, or types
  std::vector<float> floats;
};

struct Node {
  Text name, op;
  std::vector<Text> inputs;  // "node", "node:1", "^control"; in functions "node:output:0"
  std::map<Text, Attribute> attributes;
};

struct Function {
  Text name;
  std::vector<Text> inputs, outputs;  // the names of arguments
  std::vector<Node> nodes;
  std::map<Text, Text> returns;  // an output -> what it is: "node:output:0" or an input
};

struct Model {
  std::vector<Node> nodes;
  std::vector<Function> functions;
};

struct LoadedModel {
  Model model;
  std::shared_ptr<const void> bytes;  // keeps what the model's views refer to
};

// Throws Error "tensorflow-malformed".
Model ReadModel(Text bytes);
// The file is mapped; it must not change while the model or constants of it are in use. Fails with
// the status `tensorflow-file` if it cannot be read; throws the errors of ReadModel.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path);
// A model in memory, which is copied.
LoadedModel ParseModel(Text bytes);

}  // namespace lathe::graph::tensorflow
