// One door for models in files, whatever their format.
//
//   absl::StatusOr<ModelFile> model = ImportModelFile("resnet.onnx", {});
//   CompileGraph(model->module, model->function, target, {});
//
// A format is one line of the list in model_file.cc. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "base/dtype.h"
#include "graph/import/map_file.h"
#include "ir/graph.h"

namespace lathe::graph {

// A number, or the name of a size that runs may choose.
using ModelExtent = std::variant<int64_t, std::string>;

// What a caller says about an input.
struct ModelInput {
  std::vector<ModelExtent> shape;
  std::optional<DataType> dtype;  // must be that of the model, if the model says one
};

using ModelInputs = std::map<std::string, ModelInput, std::less<>>;  // by name

struct ModelFileOptions {
  ModelInputs inputs = {};  // others are as the file says
  // Of files with several functions: which is meant; "": `main`, or the only one.
  std::string function = {};
};

struct ModelFile {
  ir::GraphModule module;                        // typed
  std::string function;                          // the one to compile
  std::vector<std::string> outputs;              // names, if the format has them
  std::vector<std::string> external_files = {};  // in the model's folder, that were read, too
};

struct ModelFormat {
  const char* name;                       // for people: "ONNX"
  std::span<const char* const> suffixes;  // ".onnx"
  bool (*is_it)(std::string_view bytes);  // of a file with none of the suffixes
  bool takes_shapes;                      // callers can choose sizes that the file leaves open
  absl::StatusOr<ModelFile> (*import)(const MappedFile& file, const std::string& path,
                                      const ModelFileOptions& options);
};

// All formats, in the order in which they are tried.
std::span<const ModelFormat> ModelFormats();
// The format of the file: by its first bytes or its suffix; null if it is none of them. Fails with
// `model-file` if the file cannot be read.
absl::StatusOr<const ModelFormat*> FormatOfFile(const std::string& path);

// Reads the file as the format that it has. The data of weights are views of the file's mapping
// where their alignment allows. Fails with `model-file`; throws Error
//   model-format          the file has none of the formats
//   model-input-unknown   there is no such input
//   model-input-mismatch  the input of the model has another element type or shape
//   model-function        there is no such function, or it is not clear which is meant
//   and those of the format's reader.
absl::StatusOr<ModelFile> ImportModelFile(const std::string& path, const ModelFileOptions& options);

}  // namespace lathe::graph
