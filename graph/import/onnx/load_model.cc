#include <filesystem>

#include "graph/import/onnx/map_file.h"
#include "graph/import/onnx/model.h"
#include "runtime/status.h"

namespace lathe::graph::onnx {

absl::StatusOr<MappedFile> MapFile(const std::string& path, Links links) {
  MappedFile file;
  const FileProblem problem = graph::MapFile(path, links, &file);
  if (problem.ok()) return file;
  return runtime::MakeStatus(absl::StatusCode::kNotFound, "onnx-file", path + ": " + problem.text);
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file, MapFile(path, Links::kFollow));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return LoadedModel{ReadModel(file.bytes), file.owner, folder.empty() ? "." : folder};
}

LoadedModel ParseModel(std::string_view bytes) {
  const auto copy = std::make_shared<const std::string>(bytes);
  return {ReadModel(*copy), copy, ""};
}

}  // namespace lathe::graph::onnx
