#include <filesystem>

#include "graph/import/map_file.h"
#include "graph/import/onnx/model.h"
#include "runtime/status.h"

namespace lathe::graph::onnx {

absl::StatusOr<LoadedModel> LoadModel(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile file, MapFileOrFail(path, Links::kFollow, "onnx-file"));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return LoadedModel{ReadModel(file.bytes), file.owner, folder.empty() ? "." : folder};
}

LoadedModel ParseModel(std::string_view bytes) {
  const auto copy = std::make_shared<const std::string>(bytes);
  return {ReadModel(*copy), copy, ""};
}

}  // namespace lathe::graph::onnx
