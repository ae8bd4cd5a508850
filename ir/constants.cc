#include "ir/constants.h"

#include "base/error.h"
#include "ir/structural.h"

namespace lathe::ir {
namespace {

constexpr std::string_view kPrefix = "constant.";

// The size in bytes; -1 if an extent is negative or the size overflows.
int64_t BytesOf(DataType dtype, const std::vector<int64_t>& shape) {
  int64_t bytes = dtype.bytes();
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return -1;
  }
  return bytes;
}

[[noreturn]] void Malformed(const std::string& why) {
  throw Error(Diagnostic{.name = "constant-malformed",
                         .message = "a table of constants cannot be read: " + why,
                         .expected = "attributes `constant.0`, `constant.1`, ..., each a Constant",
                         .found = why,
                         .help = "make constants by te::Constant"});
}

}  // namespace

ConstantRef MakeConstant(DataType dtype, const std::vector<int64_t>& shape, Ref<const Blob> data) {
  const int64_t bytes = BytesOf(dtype, shape);
  if (bytes < 0 || data->size() != static_cast<uint64_t>(bytes)) {
    throw Error(Diagnostic{
        .name = "constant-size",
        .message = "a constant's data does not fit its shape and type",
        .expected = bytes < 0 ? "a shape that memory can hold" : std::to_string(bytes) + " bytes",
        .found = std::to_string(data->size()) + " bytes",
        .help = "pass the elements compact, in row-major order"});
  }
  Ref<Constant> node = Make<Constant>();
  node->dtype = dtype;
  for (const int64_t extent : shape) node->shape.push_back(Int(extent, DataType::Int(64)));
  node->data = std::move(data);
  return node;
}

std::vector<int64_t> ShapeOf(const Constant& constant) {
  std::vector<int64_t> shape;
  shape.reserve(constant.shape.size());
  for (const Expr& extent : constant.shape) shape.push_back(*AsConstInt(extent));
  return shape;
}

std::string ConstantKey(int64_t index) { return std::string(kPrefix) + std::to_string(index); }

std::vector<ConstantRef> ConstantsIn(const Dict& attrs) {
  size_t count = 0;
  for (const auto& [key, value] : attrs) count += key.starts_with(kPrefix) ? 1 : 0;
  std::vector<ConstantRef> table;
  for (size_t i = 0; i < count; ++i) {
    const auto at = attrs.find(ConstantKey(static_cast<int64_t>(i)));
    if (at == attrs.end()) Malformed("number " + std::to_string(i) + " is missing");
    table.push_back(RefAs<Constant>(at->second));
    if (!table.back()) Malformed("number " + std::to_string(i) + " is no constant");
  }
  return table;
}

Dict WithoutConstants(Dict attrs) {
  std::erase_if(attrs, [](const auto& entry) { return entry.first.starts_with(kPrefix); });
  return attrs;
}

int64_t IndexOfConstant(std::vector<ConstantRef>* table, const ConstantRef& constant) {
  for (size_t i = 0; i < table->size(); ++i) {
    if ((*table)[i].same_as(constant) || StructuralEqual((*table)[i], constant))
      return static_cast<int64_t>(i);
  }
  table->push_back(constant);
  return static_cast<int64_t>(table->size()) - 1;
}

}  // namespace lathe::ir
