// A model of TFLite as it stands in the file: the tables of its schema that an import needs.
//
// Texts and data are views of the file's bytes. Numbers of tensors, buffers and operators in the
// tables are checked when the file is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/dtype.h"
#include "graph/import/tflite/flatbuffer.h"

namespace lathe::graph::tflite {

using Text = std::string_view;

// Element types of the schema.
enum ElementType : int32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUInt8 = 3,
  kInt64 = 4,
  kString = 5,
  kBool = 6,
  kInt16 = 7,
  kComplex64 = 8,
  kInt8 = 9,
  kFloat64 = 10,
  kComplex128 = 11,
  kUInt64 = 12,
  kResource = 13,
  kVariant = 14,
  kUInt32 = 15,
  kUInt16 = 16,
  kInt4 = 17,
  kBFloat16 = 18,
};
// Nothing if no tensor of a graph can have it. int4 is stored as int8.
std::optional<DataType> DTypeOf(int32_t type);
// "FLOAT16", "STRING".
std::string ElementTypeName(int32_t type);

// real = scale (q - zero point), for all elements or for each place of dimension `axis`.
struct Quantisation {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int64_t axis = 0;
  bool is_blockwise = false;
};

struct TensorInfo {
  Text name;
  std::vector<int64_t> shape, signature;  // the signature has -1 for sizes that may vary
  int32_t type = kFloat32;
  Text data;  // empty: no constant
  bool is_variable = false, is_sparse = false;
  Quantisation quantisation;
};

struct Operator {
  int32_t code = 0;  // the builtin operator, or kCustom
  Text custom;       // its name
  int32_t version = 1;
  std::vector<int32_t> inputs, outputs;  // tensors; -1: left out
  std::vector<int32_t> intermediates;
  int32_t options_type = 0;
  Table options;
  Text custom_options;
};
inline constexpr int32_t kCustom = 32;

struct SubGraph {
  Text name;
  std::vector<TensorInfo> tensors;
  std::vector<int32_t> inputs, outputs;
  std::vector<Operator> operators;
};

struct Model {
  std::vector<SubGraph> graphs;  // the first one is the model
  std::shared_ptr<const FlatBuffer> file;
};

struct LoadedModel {
  Model model;
  std::shared_ptr<const void> bytes;  // keeps what the model's views refer to
};

// Throws Error "tflite-malformed", and "tflite-version" for another version of the schema.
Model ReadModel(Text bytes);
// The file is mapped; it must not change while the model or constants of it are in use. Fails with
// the status `tflite-file` if it cannot be read; throws the errors of ReadModel.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path);
// A model in memory, which is copied.
LoadedModel ParseModel(Text bytes);

}  // namespace lathe::graph::tflite
