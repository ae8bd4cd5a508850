// Maps files of a model; what fails is a status of ONNX's importer.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "graph/import/map_file.h"

namespace lathe::graph::onnx {

// Fails with the status `onnx-file`. Thread-safe.
absl::StatusOr<MappedFile> MapFile(const std::string& path, Links links);

}  // namespace lathe::graph::onnx
