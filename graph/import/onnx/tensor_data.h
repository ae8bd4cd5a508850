// Tensors of a model as constants.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "graph/import/map_file.h"
#include "graph/import/onnx/model.h"
#include "graph/import/values.h"

namespace lathe::graph::onnx {

// Elements of an element type of ONNX; nothing if no tensor of a graph can have it (strings,
// complex numbers). Integers of 2 and 4 bits are stored as int8 and uint8, and the bits of floats
// of 4 and 8 bits as uint8.
std::optional<DataType> DTypeOf(int32_t type);
// The bits of one element that ONNX stores in less than a byte; 0 for others.
int PackedBits(int32_t type);
// `type` if elements of it are stored in another type (above), else 0.
int32_t NarrowType(int32_t type);
// "FLOAT16", "STRING".
std::string ElementTypeName(int32_t type);

using graph::TensorValue;

// Reads tensors. Data in raw_data is not copied if it is aligned as blobs are: the blob is a view
// that keeps `bytes`. One thread uses it.
class TensorReader {
 public:
  explicit TensorReader(const LoadedModel& model) : bytes_(model.bytes), folder_(model.folder) {}
  // Throws Error
  //   onnx-tensor         the data does not fit type and shape, or the type is not supported
  //   onnx-external-data  the file is outside of the folder, a link, not there, or too short
  TensorValue Read(const TensorData& tensor);
  // The same for a sparse tensor, with all its zeros.
  TensorValue Read(const SparseData& sparse);
  // The external files that were read, as paths in the model's folder.
  std::vector<std::string> ExternalFiles() const;

 private:
  MappedFile ExternalFile(const std::string& location, const std::string& name);
  MappedFile ExternalBytes(const TensorData& tensor);

  std::shared_ptr<const void> bytes_;
  std::string folder_;
  std::map<std::string, MappedFile> files_;  // by path in the folder
};

}  // namespace lathe::graph::onnx
