// Constants while a model is imported, and what importers of all formats share.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/blob.h"
#include "base/dtype.h"
#include "ir/graph.h"

namespace lathe::graph {

// A number, or the name of a size that runs may choose.
using Extent = std::variant<int64_t, std::string>;

struct TensorValue {
  DataType dtype;
  std::vector<int64_t> shape;
  Ref<const Blob> data;  // row-major
};

// The elements of a constant as integers or floats.
std::vector<int64_t> IntsOf(const TensorValue& value);
std::vector<double> FloatsOf(const TensorValue& value);
TensorValue MakeInts(const std::vector<int64_t>& values, std::vector<int64_t> shape,
                     DataType dtype);
TensorValue MakeFloats(const std::vector<double>& values, std::vector<int64_t> shape,
                       DataType dtype);

// A shape as an attribute's value, and the product of extents.
std::vector<ir::Expr> AsExtents(const std::vector<int64_t>& numbers);
ir::Expr ProductOf(const std::vector<ir::Expr>& extents, size_t begin, size_t end);

// A name of a size that text can have: "batch-size" becomes "batch_size".
std::string SizeName(std::string_view name);
// A name in a message.
inline std::string Quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

}  // namespace lathe::graph
