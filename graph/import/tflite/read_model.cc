// The tables of TFLite's schema, field by field.
#include <array>

#include "base/error.h"
#include "graph/import/map_file.h"
#include "graph/import/tflite/model.h"
#include "runtime/status.h"

namespace lathe::graph::tflite {
namespace {

constexpr std::array kNames = {"FLOAT32", "FLOAT16",    "INT32",  "UINT8",     "INT64",
                               "STRING",  "BOOL",       "INT16",  "COMPLEX64", "INT8",
                               "FLOAT64", "COMPLEX128", "UINT64", "RESOURCE",  "VARIANT",
                               "UINT32",  "UINT16",     "INT4",   "BFLOAT16"};
constexpr int64_t kVersion = 3;

// The data of all buffers. Files of more than 2 GB have it behind the tables.
std::vector<Text> ReadBuffers(const FlatBuffer& file, const Table& model) {
  std::vector<Text> buffers;
  for (const Table& buffer : model.Tables(4, "the buffers")) {
    const auto offset = buffer.Get<uint64_t>(1, "the offset of a buffer");
    const auto size = buffer.Get<uint64_t>(2, "the size of a buffer");
    buffers.push_back(offset > 1 ? file.Take(offset, size, "the data of a buffer")
                                 : buffer.Bytes(0, "the data of a buffer"));
  }
  return buffers;
}

Quantisation ReadQuantisation(const Table& table) {
  Quantisation result;
  result.scale = table.Numbers<float>(2, "the scales of a tensor");
  result.zero_point = table.Numbers<int64_t>(3, "the zero points of a tensor");
  result.is_blockwise = table.Get<uint8_t>(4, "the details of a quantisation") > 1;
  result.axis = table.Get<int32_t>(6, "the quantised dimension of a tensor");
  return result;
}

std::vector<int64_t> Wide(const std::vector<int32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

TensorInfo ReadTensor(const FlatBuffer& file, const Table& table,
                      const std::vector<Text>& buffers) {
  TensorInfo tensor;
  tensor.name = table.Text(3, "the name of a tensor");
  tensor.shape = Wide(table.Numbers<int32_t>(0, "the shape of a tensor"));
  tensor.signature = Wide(table.Numbers<int32_t>(7, "the shape signature of a tensor"));
  tensor.type = table.Get<int8_t>(1, "the type of a tensor");
  tensor.is_variable = table.Flag(5, "a tensor");
  tensor.is_sparse = table.Has(6);
  if (table.Has(4)) {
    tensor.quantisation = ReadQuantisation(table.Sub(4, "the quantisation of a tensor"));
  }
  const auto buffer = table.Get<uint32_t>(2, "the buffer of a tensor");
  if (buffer >= buffers.size() && buffer != 0) {
    file.Fail("tensor `" + std::string(tensor.name) + "` has buffer " + std::to_string(buffer) +
                  " of " + std::to_string(buffers.size()),
              0);
  }
  if (buffer != 0) tensor.data = buffers[buffer];
  return tensor;
}

struct OperatorCode {
  int32_t code = 0;
  Text custom;
  int32_t version = 1;
};

OperatorCode ReadOperatorCode(const Table& table) {
  OperatorCode code;
  // Numbers up to 127 stand in the older field, too.
  const auto older = table.Get<int8_t>(0, "the code of an operator");
  code.code = std::max<int32_t>(older, table.Get<int32_t>(3, "the code of an operator"));
  code.custom = table.Text(1, "the name of a custom operator");
  code.version = table.Get<int32_t>(2, "the version of an operator", 1);
  return code;
}

Operator ReadOperator(const FlatBuffer& file, const Table& table,
                      const std::vector<OperatorCode>& codes) {
  Operator op;
  const auto index = table.Get<uint32_t>(0, "the code of an operator");
  if (index >= codes.size()) {
    file.Fail(
        "an operator has code " + std::to_string(index) + " of " + std::to_string(codes.size()), 0);
  }
  op.code = codes[index].code;
  op.custom = codes[index].custom;
  op.version = codes[index].version;
  op.inputs = table.Numbers<int32_t>(1, "the inputs of an operator");
  op.outputs = table.Numbers<int32_t>(2, "the outputs of an operator");
  op.options_type = table.Get<uint8_t>(3, "the type of an operator's options");
  if (op.options_type != 0) op.options = table.Sub(4, "the options of an operator");
  op.custom_options = table.Bytes(5, "the options of a custom operator");
  op.intermediates = table.Numbers<int32_t>(8, "the intermediate tensors of an operator");
  return op;
}

void CheckIndices(const FlatBuffer& file, const std::vector<int32_t>& indices, size_t tensors,
                  int32_t least, const char* what) {
  for (const int32_t index : indices) {
    if (index >= least && index < static_cast<int64_t>(tensors)) continue;
    file.Fail(std::string(what) + " are tensor " + std::to_string(index) + " of " +
                  std::to_string(tensors),
              0);
  }
}

SubGraph ReadGraph(const FlatBuffer& file, const Table& table, const std::vector<Text>& buffers,
                   const std::vector<OperatorCode>& codes) {
  SubGraph graph;
  graph.name = table.Text(4, "the name of a graph");
  for (const Table& tensor : table.Tables(0, "the tensors of a graph")) {
    graph.tensors.push_back(ReadTensor(file, tensor, buffers));
  }
  const size_t count = graph.tensors.size();
  graph.inputs = table.Numbers<int32_t>(1, "the inputs of a graph");
  graph.outputs = table.Numbers<int32_t>(2, "the outputs of a graph");
  CheckIndices(file, graph.inputs, count, 0, "the inputs of a graph");
  CheckIndices(file, graph.outputs, count, 0, "the outputs of a graph");
  for (const Table& op : table.Tables(3, "the operators of a graph")) {
    graph.operators.push_back(ReadOperator(file, op, codes));
    CheckIndices(file, graph.operators.back().inputs, count, -1, "the inputs of an operator");
    CheckIndices(file, graph.operators.back().outputs, count, 0, "the outputs of an operator");
    CheckIndices(file, graph.operators.back().intermediates, count, -1,
                 "the intermediate tensors of an operator");
  }
  return graph;
}

}  // namespace

std::optional<DataType> DTypeOf(int32_t type) {
  switch (type) {
    case kFloat32:
      return DataType::Float(32);
    case kFloat16:
      return DataType::Float(16);
    case kFloat64:
      return DataType::Float(64);
    case kBFloat16:
      return DataType::BFloat16();
    case kBool:
      return DataType::Bool();
    case kInt8:
    case kInt4:
      return DataType::Int(8);
    case kInt16:
      return DataType::Int(16);
    case kInt32:
      return DataType::Int(32);
    case kInt64:
      return DataType::Int(64);
    case kUInt8:
      return DataType::UInt(8);
    case kUInt16:
      return DataType::UInt(16);
    case kUInt32:
      return DataType::UInt(32);
    case kUInt64:
      return DataType::UInt(64);
    default:
      return std::nullopt;
  }
}

std::string ElementTypeName(int32_t type) {
  if (type >= 0 && static_cast<size_t>(type) < kNames.size()) {
    return kNames[static_cast<size_t>(type)];
  }
  return "element type " + std::to_string(type);
}

Model ReadModel(Text bytes) {
  const auto file = std::make_shared<const FlatBuffer>(bytes);
  constexpr Text kIdentifier = "TFL3";
  if (bytes.size() < 8 || bytes.substr(4, 4) != kIdentifier) {
    file->Fail("it does not have \"TFL3\" at byte 4", 4);
  }
  const Table table = file->Root();
  const int64_t version = table.Get<uint32_t>(0, "the version of the schema");
  if (version != kVersion) {
    throw Error(Diagnostic{.name = "tflite-version",
                           .message = "the model has a version of TFLite's schema that is not "
                                      "supported",
                           .expected = "version " + std::to_string(kVersion),
                           .found = "version " + std::to_string(version),
                           .help = "convert the model again with a current TensorFlow"});
  }
  std::vector<OperatorCode> codes;
  for (const Table& code : table.Tables(1, "the operator codes")) {
    codes.push_back(ReadOperatorCode(code));
  }
  const std::vector<Text> buffers = ReadBuffers(*file, table);
  Model model;
  model.file = file;
  for (const Table& graph : table.Tables(2, "the graphs")) {
    model.graphs.push_back(ReadGraph(*file, graph, buffers, codes));
  }
  if (model.graphs.empty()) file->Fail("it has no graph", 0);
  return model;
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file, MapFileOrFail(path, Links::kFollow, "tflite-file"));
  return LoadedModel{ReadModel(file.bytes), file.owner};
}

LoadedModel ParseModel(Text bytes) {
  const auto copy = std::make_shared<const std::string>(bytes);
  return {ReadModel(*copy), copy};
}

}  // namespace lathe::graph::tflite
