#include "graph/import/onnx/tensor_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::graph::onnx {
namespace {

constexpr std::array kNames = {
    "UNDEFINED",      "FLOAT",    "UINT8",        "INT8",           "UINT16",
    "INT16",          "INT32",    "INT64",        "STRING",         "BOOL",
    "FLOAT16",        "DOUBLE",   "UINT32",       "UINT64",         "COMPLEX64",
    "COMPLEX128",     "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ", "UINT4",    "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0",
    "UINT2",          "INT2"};

[[noreturn]] void Fail(const TensorData& tensor, const std::string& problem, std::string expected,
                       std::string found, std::string help = "") {
  throw Error(Diagnostic{.name = "onnx-tensor",
                         .message = "tensor `" + std::string(tensor.name) + "` " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

int64_t ElementCount(const TensorData& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.dims) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > (INT64_MAX >> 4)) {
      Fail(tensor, "has an impossible shape", "extents of 0 and more", std::to_string(extent));
    }
  }
  return count;
}

// Numbers of 2 or 4 bits, the first in the lowest bits of a byte.
std::string Unpacked(std::string_view bytes, int64_t count, int bits, bool is_signed) {
  std::string out(static_cast<size_t>(count), '\0');
  const int per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[static_cast<size_t>(i / per_byte)]);
    auto value = static_cast<uint8_t>(byte >> (i % per_byte * bits));
    value = static_cast<uint8_t>(value << (8 - bits));
    out[static_cast<size_t>(i)] = static_cast<char>(
        is_signed ? static_cast<int8_t>(value) >> (8 - bits) : value >> (8 - bits));
  }
  return out;
}

// The elements of the lists of numbers as bytes of the element type.
std::string FromLists(const TensorData& tensor, DataType dtype, size_t count) {
  const auto width = static_cast<size_t>(dtype.bytes());
  const bool is_float = tensor.type == kFloat, is_double = tensor.type == kDouble;
  const size_t found = is_float    ? tensor.floats.size()
                       : is_double ? tensor.doubles.size()
                                   : tensor.ints.size();
  if (found != count) {
    Fail(tensor, "has the wrong number of elements", std::to_string(count), std::to_string(found));
  }
  std::string out(count * width, '\0');
  for (size_t i = 0; i < count; ++i) {
    const void* element = is_float    ? static_cast<const void*>(&tensor.floats[i])
                          : is_double ? static_cast<const void*>(&tensor.doubles[i])
                                      : static_cast<const void*>(&tensor.ints[i]);
    std::memcpy(out.data() + i * width, element, width);
  }
  return out;
}

uint64_t NumberIn(const TensorData& tensor, Text key, Text text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(Diagnostic{.name = "onnx-external-data",
                           .message = "the external data of tensor `" + std::string(tensor.name) +
                                      "` has no number for `" + std::string(key) + "`",
                           .expected = "a number of bytes",
                           .found = std::string(text)});
  }
  return value;
}

}  // namespace

std::optional<DataType> DTypeOf(int32_t type) {
  switch (type) {
    case kFloat:
      return DataType::Float(32);
    case kDouble:
      return DataType::Float(64);
    case kFloat16:
      return DataType::Float(16);
    case kBFloat16:
      return DataType::BFloat16();
    case kBool:
      return DataType::Bool();
    case kInt8:
    case kInt4:
    case kInt2:
      return DataType::Int(8);
    case kInt16:
      return DataType::Int(16);
    case kInt32:
      return DataType::Int(32);
    case kInt64:
      return DataType::Int(64);
    case kUInt8:
    case kUInt4:
    case kUInt2:
    case kFloat8E4M3FN:
    case kFloat8E4M3FNUZ:
    case kFloat8E5M2:
    case kFloat8E5M2FNUZ:
    case kFloat8E8M0:
    case kFloat4E2M1:
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

int PackedBits(int32_t type) {
  const bool is_half_a_byte = type == kInt4 || type == kUInt4 || type == kFloat4E2M1;
  return is_half_a_byte ? 4 : type == kInt2 || type == kUInt2 ? 2 : 0;
}

int32_t NarrowType(int32_t type) {
  const bool is_float8 = (type >= kFloat8E4M3FN && type <= kFloat8E5M2FNUZ) || type == kFloat8E8M0;
  return is_float8 || PackedBits(type) != 0 ? type : 0;
}

std::string ElementTypeName(int32_t type) {
  if (type >= 0 && static_cast<size_t>(type) < kNames.size()) {
    return kNames[static_cast<size_t>(type)];
  }
  return "element type " + std::to_string(type);
}

MappedFile TensorReader::ExternalFile(const std::string& location, const std::string& name) {
  const auto at = files_.find(location);
  if (at != files_.end()) return at->second;
  const auto fail = [&](const std::string& problem, const std::string& help) {
    throw Error(Diagnostic{.name = "onnx-external-data",
                           .message = "the data of tensor `" + name + "` " + problem,
                           .expected = "a file in the model's folder or below",
                           .found = "`" + location + "`",
                           .help = help});
  };
  if (folder_.empty()) {
    fail("is in another file, and the model was given as bytes, without a folder",
         "import the model by its path");
  }
  // Each part of the path is checked, so that no link leads out of the folder.
  const std::filesystem::path relative(location);
  std::filesystem::path path(folder_);
  if (location.empty() || relative.is_absolute() || location.find('\0') != std::string::npos) {
    fail("is outside of the model's folder", "move the file into the folder of the model");
  }
  for (const std::filesystem::path& part : relative) {
    if (part == "..") {
      fail("is outside of the model's folder", "move the file into the folder of the model");
    }
    path /= part;
    std::error_code ignored;
    if (std::filesystem::is_symlink(path, ignored)) {
      fail("is reached by a symbolic link", "put the file itself into the model's folder");
    }
  }
  absl::StatusOr<MappedFile> file = MapFileOrFail(path.string(), Links::kRefuse, "onnx-file");
  if (!file.ok()) {
    fail("cannot be read: " + std::string(runtime::StatusText(file.status())),
         "copy the data beside the model: both files belong together");
  }
  return files_.emplace(location, *std::move(file)).first->second;
}

std::vector<std::string> TensorReader::ExternalFiles() const {
  std::vector<std::string> locations;
  for (const auto& [location, file] : files_) locations.push_back(location);
  return locations;
}

MappedFile TensorReader::ExternalBytes(const TensorData& tensor) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto& [key, value] : tensor.external) {
    if (key == "location") location = std::string(value);
    if (key == "offset") offset = NumberIn(tensor, key, value);
    if (key == "length") length = NumberIn(tensor, key, value);
  }
  MappedFile file = ExternalFile(location, std::string(tensor.name));
  const size_t size = file.bytes.size();
  if (offset > size || (length && *length > size - offset)) {
    throw Error(Diagnostic{
        .name = "onnx-external-data",
        .message = "the data of tensor `" + std::string(tensor.name) + "` is not in its file",
        .expected = "at least " + std::to_string(offset) + " + " +
                    std::to_string(length.value_or(0)) + " bytes",
        .found = "`" + location + "` of " + std::to_string(size) + " bytes",
        .help = "the file may be cut off: copy it again"});
  }
  file.bytes = file.bytes.substr(offset, length.value_or(size - offset));
  return file;
}

TensorValue TensorReader::Read(const TensorData& tensor) {
  const std::optional<DataType> dtype = DTypeOf(tensor.type);
  if (!dtype) {
    Fail(tensor, "has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(tensor.type), "convert it, or leave this part of the model out");
  }
  const int64_t count = ElementCount(tensor);
  const int packed = PackedBits(tensor.type);
  TensorValue value{*dtype, tensor.dims, {}};
  if (!tensor.has_raw && !tensor.is_external) {
    if (packed == 0) {
      value.data = Blob::Copy(FromLists(tensor, *dtype, static_cast<size_t>(count)));
      return value;
    }
    // int32_data has bytes with two or four elements each.
    std::string bytes;
    for (const int64_t byte : tensor.ints) bytes.push_back(static_cast<char>(byte));
    if (static_cast<int64_t>(bytes.size()) != (count * packed + 7) / 8) {
      Fail(tensor, "has the wrong number of bytes", std::to_string((count * packed + 7) / 8),
           std::to_string(bytes.size()));
    }
    value.data = Blob::Copy(Unpacked(bytes, count, packed, dtype->is_int()));
    return value;
  }
  const MappedFile source =
      tensor.is_external ? ExternalBytes(tensor) : MappedFile{tensor.raw, bytes_};
  const int64_t bits = packed != 0 ? packed : int64_t{8} * dtype->bytes();
  const int64_t expected = (count * bits + 7) / 8;
  if (static_cast<int64_t>(source.bytes.size()) != expected) {
    Fail(tensor, "has the wrong number of bytes", std::to_string(expected),
         std::to_string(source.bytes.size()));
  }
  if (packed != 0) {
    value.data = Blob::Copy(Unpacked(source.bytes, count, packed, dtype->is_int()));
  } else {
    value.data = DataOf(source);
  }
  return value;
}

TensorValue TensorReader::Read(const SparseData& sparse) {
  const TensorData& all = sparse.values;
  const TensorValue values = Read(all), indices = Read(sparse.indices);
  const size_t rank = sparse.dims.size();
  if (values.shape.size() != 1) {
    Fail(all, "is sparse, and its values have a wrong rank", "1",
         std::to_string(values.shape.size()));
  }
  const int64_t stored = values.shape[0];
  const bool is_flat = indices.shape == std::vector<int64_t>{stored};
  if (indices.dtype != DataType::Int(64) ||
      (!is_flat && indices.shape != std::vector<int64_t>{stored, static_cast<int64_t>(rank)})) {
    Fail(all, "is sparse, and its indices do not fit its values",
         "int64[" + std::to_string(stored) + "] or int64[" + std::to_string(stored) + ", " +
             std::to_string(rank) + "]",
         indices.dtype.ToString() + " of rank " + std::to_string(indices.shape.size()));
  }
  TensorData dense;
  dense.name = all.name;
  dense.dims = sparse.dims;
  const int64_t count = ElementCount(dense);
  // A small file may not ask for a lot of memory.
  const int64_t most = std::max(int64_t{1} << 24, stored * 256);
  if (count > most) {
    Fail(all, "is sparse, and would be too large with its zeros",
         "at most " + std::to_string(most) + " elements", std::to_string(count),
         "store it densely");
  }
  const auto width = static_cast<size_t>(values.dtype.bytes());
  std::string bytes(static_cast<size_t>(count) * width, '\0');
  const std::vector<int64_t> places = IntsOf(indices);
  const auto checked = [&](int64_t place, int64_t extent) {
    if (place >= 0 && place < extent) return place;
    Fail(all, "is sparse, and an index is out of range", "0 to " + std::to_string(extent - 1),
         std::to_string(place));
  };
  for (int64_t i = 0; i < stored; ++i) {
    int64_t at = 0;
    if (is_flat) {
      at = checked(places[static_cast<size_t>(i)], count);
    } else {
      for (size_t d = 0; d < rank; ++d) {
        const int64_t place = places[static_cast<size_t>(i) * rank + d];
        at = at * sparse.dims[d] + checked(place, sparse.dims[d]);
      }
    }
    std::memcpy(bytes.data() + static_cast<size_t>(at) * width,
                values.data->data() + static_cast<size_t>(i) * width, width);
  }
  return {values.dtype, sparse.dims, Blob::Copy(bytes)};
}

}  // namespace lathe::graph::onnx
