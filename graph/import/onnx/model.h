// A model of ONNX as its file has it: the messages of onnx.proto, with what an import needs.
//
// Texts and data are views of the bytes that were read; whoever holds the model keeps the bytes
// (LoadedModel does). Data in `raw_data` and in external files is not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::graph::onnx {

using Text = std::string_view;

// TensorProto.DataType. Types that no tensor here can have keep their number, for errors.
enum ElementType : int32_t {
  kNoType = 0,
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUInt32 = 12,
  kUInt64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUInt4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUInt2 = 25,
  kInt2 = 26,
};

struct TensorData {
  Text name;
  int32_t type = kNoType;
  std::vector<int64_t> dims;
  bool has_raw = false;
  Text raw;  // little-endian elements
  // The elements if they are not in `raw`: one of the lists, by the type (onnx.proto).
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> ints;
  std::vector<Text> strings;
  bool is_external = false;
  std::vector<std::pair<Text, Text>> external;  // "location", "offset", "length"
};

// Most elements are 0.
struct SparseData {
  TensorData values;   // [k]; its name is that of the tensor
  TensorData indices;  // [k], into all elements, or [k, rank]
  std::vector<int64_t> dims;
};

struct Type {
  enum class Kind : uint8_t { kNone, kTensor, kSequence, kOptional, kMap, kSparse, kOpaque };
  struct Dim {
    enum class Kind : uint8_t { kUnknown, kNumber, kName } kind = Kind::kUnknown;
    int64_t number = 0;
    Text name;
  };
  Kind kind = Kind::kNone;
  int32_t element = kNoType;
  bool has_shape = false;
  std::vector<Dim> dims;
  std::vector<Type> inner;  // of a sequence or an optional: one
};

struct ValueInfo {
  Text name;
  Type type;
};

struct Graph;

struct Attribute {
  Text name, refers_to;  // the attribute of the function whose value this one has
  int32_t type = 0;      // AttributeProto.AttributeType
  float f = 0;
  int64_t i = 0;
  Text s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<Text> strings;
  std::vector<TensorData> tensors;             // of type TENSOR: one
  std::vector<std::shared_ptr<Graph>> graphs;  // of type GRAPH: one
  std::vector<SparseData> sparse;              // of type SPARSE_TENSOR: one
};

struct Node {
  Text name, op, domain, overload;
  std::vector<Text> inputs, outputs;  // an empty name: left out
  std::vector<Attribute> attributes;
};

struct Graph {
  Text name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<SparseData> sparse_initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct OpsetId {
  Text domain;
  int64_t version = 0;
};

struct Function {
  Text name, domain, overload;
  std::vector<Text> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  std::vector<OpsetId> opsets;
};

struct Model {
  int64_t ir_version = 0;
  Text producer;
  std::vector<OpsetId> opsets;
  Graph graph;
  std::vector<Function> functions;
};

// Graphs may nest this deep in attributes of nodes.
inline constexpr int kMaxGraphDepth = 100;

// Throws Error "onnx-malformed", and "onnx-too-deep" for graphs that nest deeper than
// kMaxGraphDepth. `bytes` must outlive the model.
Model ReadModel(std::string_view bytes);
// One TensorProto, as files of test data have it.
TensorData ReadTensor(std::string_view bytes);

// The tensors of a SequenceProto; those of an OptionalProto: none, or one, or those of its
// sequence.
std::vector<TensorData> ReadSequence(std::string_view bytes);
std::vector<TensorData> ReadOptional(std::string_view bytes);

// A model with the bytes that it refers to, and the folder of its external data.
struct LoadedModel {
  Model model;
  std::shared_ptr<const void> bytes;
  std::string folder;  // empty: there is none, and external data is an error
};

// Maps a file, which must not change until the model and what was imported from it are gone.
// A file that cannot be read is a status, `onnx-file`; the content throws as ReadModel does.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path);
// A copy of bytes.
LoadedModel ParseModel(std::string_view bytes);

}  // namespace lathe::graph::onnx
