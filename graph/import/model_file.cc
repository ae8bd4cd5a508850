#include "graph/import/model_file.h"

#include <algorithm>

#include "base/error.h"
#include "graph/import/lathe_file.h"
#include "graph/import/onnx/import.h"
#include "graph/import/tensorflow/import.h"
#include "graph/import/tflite/import.h"
#include "graph/import/values.h"
#include "graph/infer.h"
#include "graph/op.h"
#include "ir/binary.h"
#include "ir/text/parser.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

// -- ONNX.

// The first field of a ModelProto is nearly always ir_version (0x08, a small number), and another
// field of length-delimited bytes follows.
bool LooksLikeOnnx(std::string_view bytes) {
  if (bytes.size() < 4 || bytes[0] != 0x08 || bytes[1] < 1 || bytes[1] > 64) return false;
  return std::string_view("\x12\x1a\x22\x2a\x32\x3a\x42").find(bytes[2]) != std::string_view::npos;
}

absl::StatusOr<ModelFile> ImportOnnx(const MappedFile&, const std::string& path,
                                     const ModelFileOptions& options) {
  LATHE_ASSIGN_OR_RETURN(const onnx::LoadedModel model, onnx::LoadModel(path));
  onnx::ImportOptions wanted;
  for (const auto& [name, input] : options.inputs) wanted.shapes[name] = input.shape;
  onnx::ImportedModel imported = onnx::ImportModel(model, wanted);
  return ModelFile{std::move(imported.module), "main", std::move(imported.outputs),
                   std::move(imported.external_files)};
}

// -- TFLite.

// A FlatBuffer with the file identifier of the schema.
bool LooksLikeTflite(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3";
}

absl::StatusOr<ModelFile> ImportTflite(const MappedFile&, const std::string& path,
                                       const ModelFileOptions& options) {
  LATHE_ASSIGN_OR_RETURN(const tflite::LoadedModel model, tflite::LoadModel(path));
  tflite::ImportOptions wanted;
  for (const auto& [name, input] : options.inputs) wanted.shapes[name] = input.shape;
  tflite::ImportedModel imported = tflite::ImportModel(model, wanted);
  return ModelFile{std::move(imported.module), "main", std::move(imported.outputs)};
}

// -- TensorFlow.

// A graph is a list of nodes, and a node begins with its name: two fields of number 1.
bool LooksLikeTensorflow(std::string_view bytes) {
  constexpr char kFirstField = 0x0A;
  if (bytes.empty() || bytes[0] != kFirstField) return false;
  size_t at = 1;
  while (at < bytes.size() && at < 6 && (bytes[at] & 0x80) != 0) ++at;
  return at + 1 < bytes.size() && bytes[at + 1] == kFirstField;
}

absl::StatusOr<ModelFile> ImportTensorflow(const MappedFile&, const std::string& path,
                                           const ModelFileOptions& options) {
  LATHE_ASSIGN_OR_RETURN(const tensorflow::LoadedModel model, tensorflow::LoadModel(path));
  tensorflow::ImportOptions wanted;
  for (const auto& [name, input] : options.inputs) wanted.shapes[name] = input.shape;
  tensorflow::ImportedModel imported = tensorflow::ImportModel(model, wanted);
  return ModelFile{std::move(imported.module), "main", std::move(imported.outputs)};
}

// -- Lathe's own files: with weights, as bytes of the IR, as text.

absl::StatusOr<ModelFile> ImportLathe(const MappedFile& file, const std::string& path,
                                      const ModelFileOptions&) {
  return ModelFile{InferTypes(ReadLatheFile(file, path)), "", {}};
}

bool IsIrBytes(std::string_view bytes) { return bytes.starts_with("\x8cLatheIR"); }

absl::StatusOr<ModelFile> ImportIrBytes(const MappedFile& file, const std::string& path,
                                        const ModelFileOptions&) {
  const auto module = ir::RefAs<ir::GraphModuleNode>(ir::DecodeNode(file.bytes));
  if (module) return ModelFile{InferTypes(module), "", {}};
  throw Error(Diagnostic{.name = "model-format",
                         .message = "`" + path + "` has something else than a graph",
                         .expected = "the bytes of a graph module",
                         .found = "another node"});
}

// The first line that is no data says whether a text is a graph or a program file.
bool IsGraphText(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with("graph ") || line.starts_with("type ")) return true;
    const bool goes_on = line.empty() || line.starts_with("given data ") ||
                         line.starts_with("//") || line.starts_with("#");
    if (!goes_on || line.size() == text.size()) return false;
    text.remove_prefix(line.size() + 1);
  }
  return false;
}

absl::StatusOr<ModelFile> ImportText(const MappedFile& file, const std::string& path,
                                     const ModelFileOptions&) {
  return ModelFile{InferTypes(ir::ParseGraphModule(file.bytes, path)), "", {}};
}

constexpr const char* kOnnxSuffixes[] = {".onnx"};
constexpr const char* kTfliteSuffixes[] = {".tflite"};
constexpr const char* kTensorflowSuffixes[] = {".pb"};

constexpr ModelFormat kFormats[] = {
    {"Lathe's model file", {}, IsLatheFile, false, ImportLathe},
    {"Lathe's IR as bytes", {}, IsIrBytes, false, ImportIrBytes},
    {"a graph as text", {}, IsGraphText, false, ImportText},
    {"ONNX", kOnnxSuffixes, LooksLikeOnnx, true, ImportOnnx},
    {"TFLite", kTfliteSuffixes, LooksLikeTflite, true, ImportTflite},
    {"TensorFlow", kTensorflowSuffixes, LooksLikeTensorflow, true, ImportTensorflow},
};

const ModelFormat* FormatOf(std::string_view bytes, std::string_view path) {
  for (const ModelFormat& format : kFormats) {
    for (const char* suffix : format.suffixes) {
      if (path.ends_with(suffix)) return &format;
    }
  }
  for (const ModelFormat& format : kFormats) {
    if (format.is_it(bytes)) return &format;
  }
  return nullptr;
}

absl::StatusOr<MappedFile> Map(const std::string& path) {
  MappedFile file;
  const FileProblem problem = MapFile(path, Links::kFollow, &file);
  if (problem.ok()) return file;
  return runtime::MakeStatus(absl::StatusCode::kNotFound, "model-file",
                             "cannot read `" + path + "`: " + problem.text +
                                 "\n  expected: a file that exists and may be read"
                                 "\n  help: check the path");
}

// -- What the caller said, against what was imported.

const GraphFuncRef& ChooseFunction(const ir::GraphModule& module, const std::string& wanted,
                                   const std::string& path) {
  std::vector<std::string> names;
  for (const GraphFuncRef& func : module->functions) names.push_back(func->name);
  const std::string name = !wanted.empty() ? wanted : names.size() == 1 ? names[0] : "main";
  for (const GraphFuncRef& func : module->functions) {
    if (func->name == name) return func;
  }
  throw Error(Diagnostic{.name = "model-function",
                         .message = Quoted(path) + " has no function " + Quoted(name),
                         .expected = names.empty() ? "a graph with functions" : QuotedList(names),
                         .found = Quoted(name),
                         .help = "`--function NAME` says which is meant"});
}

std::string ShapeText(const std::vector<ModelExtent>& shape) {
  std::string text;
  for (const ModelExtent& extent : shape) {
    const auto* number = std::get_if<int64_t>(&extent);
    text += (text.empty() ? "" : ", ") +
            (number != nullptr ? std::to_string(*number) : std::get<std::string>(extent));
  }
  return "[" + text + "]";
}

bool SameShape(const std::vector<ModelExtent>& given, const std::vector<ir::Expr>& shape) {
  return std::ranges::equal(given, shape, [](const ModelExtent& extent, const ir::Expr& expr) {
    if (const auto* number = std::get_if<int64_t>(&extent)) return ir::IsConstInt(expr, *number);
    const auto* var = ir::As<ir::VarNode>(expr);
    return var != nullptr && var->name == std::get<std::string>(extent);
  });
}

void CheckInput(const std::string& name, const ModelInput& input, const ir::GraphFunc& func) {
  std::vector<std::string> names;
  for (const ir::GraphVar& param : func.params) {
    names.push_back(param->name);
    if (param->name != name) continue;
    const auto* type = ir::As<ir::TensorType>(param->type);
    const bool fits = type != nullptr && (!input.dtype || *input.dtype == type->dtype) &&
                      SameShape(input.shape, type->shape);
    if (fits) return;
    throw Error(Diagnostic{
        .name = "model-input-mismatch",
        .message = "input " + Quoted(name) + " of the model is something else",
        .expected = TypeText(param->type),
        .found = (input.dtype ? input.dtype->ToString() : "") + ShapeText(input.shape),
        .help = "sizes can be chosen when a model of another format is imported, not in what was "
                "imported; casts belong into the model"});
  }
  throw Error(Diagnostic{.name = "model-input-unknown",
                         .message = "the model has no input " + Quoted(name),
                         .expected = NearOrAll(name, names),
                         .found = Quoted(name)});
}

}  // namespace

std::span<const ModelFormat> ModelFormats() { return kFormats; }

absl::StatusOr<const ModelFormat*> FormatOfFile(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file, Map(path));
  return FormatOf(file.bytes, path);
}

absl::StatusOr<ModelFile> ImportModelFile(const std::string& path,
                                          const ModelFileOptions& options) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file, Map(path));
  const ModelFormat* format = FormatOf(file.bytes, path);
  if (format == nullptr) {
    std::string known;
    for (const ModelFormat& each : kFormats)
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    throw Error(Diagnostic{.name = "model-format",
                           .message = Quoted(path) + " is no model of a format that is known",
                           .expected = known,
                           .found = "a file that begins otherwise",
                           .help = "export the model as ONNX (torch.onnx.export, tf2onnx)"});
  }
  LATHE_ASSIGN_OR_RETURN(ModelFile model, format->import(file, path, options));
  const GraphFuncRef& func = ChooseFunction(
      model.module, options.function.empty() ? model.function : options.function, path);
  model.function = func->name;
  for (const auto& [name, input] : options.inputs) CheckInput(name, input, *func);
  return model;
}

}  // namespace lathe::graph
