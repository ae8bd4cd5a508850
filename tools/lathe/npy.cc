#include "tools/lathe/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::Tensor;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeaderBytes = 1 << 20;
constexpr size_t kAlignment = 64;  // of the data in the file

struct TypeCode {
  const char* code;
  DataType dtype;
};
constexpr TypeCode kTypes[] = {
    {"b1", DataType::Bool()},    {"i1", DataType::Int(8)},    {"i2", DataType::Int(16)},
    {"i4", DataType::Int(32)},   {"i8", DataType::Int(64)},   {"u1", DataType::UInt(8)},
    {"u2", DataType::UInt(16)},  {"u4", DataType::UInt(32)},  {"u8", DataType::UInt(64)},
    {"f2", DataType::Float(16)}, {"f4", DataType::Float(32)}, {"f8", DataType::Float(64)},
};

absl::Status Malformed(const std::string& name, const std::string& what) {
  return MakeStatus(
      absl::StatusCode::kDataLoss, "npy-malformed",
      "`" + name + "` is no good .npy file: " + what +
          "\n  expected: an array as numpy.save writes it\n  help: write it again with numpy.save");
}

absl::Status BadType(const std::string& name, const std::string& found) {
  std::string known;
  for (const TypeCode& type : kTypes) known += (known.empty() ? "" : ", ") + type.dtype.ToString();
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "npy-dtype",
      "`" + name +
          "` has elements of a type that .npy and Lathe do not share\n  expected: one of " + known +
          "\n  found: " + found + "\n  help: convert the array, as with numpy's astype");
}

// The header's dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;

  absl::Status Read() {
    if (!Take('{')) return Expected("`{`");
    bool has_descr = false, has_order = false, has_shape = false;
    while (!Take('}')) {
      std::string key;
      if (!String(&key) || !Take(':')) return Expected("a key in quotes and `:`");
      bool* seen = key == "descr"           ? &has_descr
                   : key == "fortran_order" ? &has_order
                   : key == "shape"         ? &has_shape
                                            : nullptr;
      if (seen == nullptr) return Malformed(name_, "its header has the unknown key `" + key + "`");
      if (*seen) return Malformed(name_, "its header has the key `" + key + "` twice");
      *seen = true;
      if (key == "descr") {
        // A list of fields describes a structured type.
        if (Peek() == '[') return BadType(name_, "a structured type");
        if (!String(&descr)) return Expected("a type in quotes");
      } else if (key == "fortran_order") {
        if (Word("True"))
          fortran_order = true;
        else if (!Word("False"))
          return Expected("True or False");
      } else {
        LATHE_RETURN_IF_ERROR(Shape());
      }
      if (!Take(',') && Peek() != '}') return Expected("`,` or `}`");
    }
    Skip();
    if (at_ != text_.size()) return Expected("the header's end");
    if (!has_descr || !has_order || !has_shape)
      return Malformed(name_, "its header lacks `descr`, `fortran_order` or `shape`");
    return absl::OkStatus();
  }

 private:
  absl::Status Shape() {
    if (!Take('(')) return Expected("`(`");
    while (!Take(')')) {
      Skip();
      int64_t extent = 0;
      const char* begin = text_.data() + at_;
      auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) return Expected("an extent");
      at_ += static_cast<size_t>(end - begin);
      if (shape.size() == static_cast<size_t>(runtime::kMaxRank)) {
        return Malformed(name_, "it has more than " + std::to_string(runtime::kMaxRank) + " axes");
      }
      shape.push_back(extent);
      if (!Take(',') && Peek() != ')') return Expected("`,` or `)`");
    }
    return absl::OkStatus();
  }

  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char wanted) {
    if (at_ >= text_.size() && wanted != '\0') Skip();
    if (Peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    Skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool String(std::string* out) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return true;
  }
  absl::Status Expected(const std::string& what) {
    return Malformed(name_, "its header has no " + what + " at byte " + std::to_string(at_));
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

absl::StatusOr<std::string_view> HeaderOf(std::string_view bytes, const std::string& name,
                                          size_t* data_at) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10)
    return Malformed(name, "it does not begin as one");
  auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  const size_t major = byte(6);
  if (major < 1 || major > 3) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "npy-version",
        "`" + name + "` is a .npy file of another version\n  expected: 1, 2 or 3\n  found: " +
            std::to_string(major) +
            "\n  help: write it with `numpy.lib.format.write_array(file, array, version=(1, 0))`");
  }
  const size_t begin = major == 1 ? 10 : 12;
  if (bytes.size() < begin) return Malformed(name, "it ends within its header");
  const size_t size = major == 1 ? byte(8) | byte(9) << 8
                                 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (size > kMaxHeaderBytes || size > bytes.size() - begin)
    return Malformed(name, "it ends within its header");
  *data_at = begin + size;
  return bytes.substr(begin, size);
}

}  // namespace

absl::StatusOr<Tensor> DecodeNpy(std::string_view bytes, const std::string& name) {
  size_t data_at = 0;
  LATHE_ASSIGN_OR_RETURN(std::string_view header, HeaderOf(bytes, name, &data_at));
  HeaderReader reader(header, name);
  LATHE_RETURN_IF_ERROR(reader.Read());
  const TypeCode* type = nullptr;
  char order = '|';
  if (reader.descr.size() == 3) {
    order = reader.descr[0];
    for (const TypeCode& known : kTypes) {
      if (reader.descr.compare(1, 2, known.code) == 0) type = &known;
    }
  }
  if (type == nullptr || std::string_view("<>=|").find(order) == std::string_view::npos)
    return BadType(name, "`" + reader.descr + "`");

  const auto element = static_cast<uint64_t>(type->dtype.bytes());
  // Check all extents, even if one is 0: the strides are products of the others.
  uint64_t span = element;
  for (int64_t extent : reader.shape) {
    if (extent == 0) continue;
    if (span > std::numeric_limits<uint64_t>::max() / 2 / static_cast<uint64_t>(extent))
      return Malformed(name, "its shape is too large");
    span *= static_cast<uint64_t>(extent);
  }
  const bool empty = std::find(reader.shape.begin(), reader.shape.end(), 0) != reader.shape.end();
  const uint64_t wanted = empty ? 0 : span;
  const uint64_t there = bytes.size() - data_at;
  if (wanted != there) {
    return Malformed(name, "its shape needs " + std::to_string(wanted) +
                               " bytes of elements, and there are " + std::to_string(there));
  }
  std::string swapped;
  const char* data = bytes.data() + data_at;
  if (order == '>' && element > 1) {
    swapped.assign(data, there);
    for (size_t at = 0; at < swapped.size(); at += element)
      std::reverse(swapped.begin() + at, swapped.begin() + at + element);
    data = swapped.data();
  }
  if (!reader.fortran_order || reader.shape.size() < 2)
    return Tensor::FromHost(data, there, reader.shape, type->dtype);
  // The same elements in C order have the axes in reverse order.
  std::vector<int64_t> reversed(reader.shape.rbegin(), reader.shape.rend());
  LATHE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::FromHost(data, there, reversed, type->dtype));
  std::vector<int> axes(reversed.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(axes.size() - 1 - i);
  return tensor.Transpose(axes).Clone();
}

absl::StatusOr<std::string> EncodeNpy(const Tensor& tensor) {
  const TypeCode* type = nullptr;
  for (const TypeCode& known : kTypes) {
    if (known.dtype == tensor.dtype()) type = &known;
  }
  if (type == nullptr) return BadType("the output", tensor.dtype().ToString());
  std::string header = std::string("{'descr': '") + (tensor.dtype().bytes() == 1 ? '|' : '<') +
                       type->code + "', 'fortran_order': False, 'shape': (";
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    header += (axis == 0 ? "" : " ") + std::to_string(tensor.shape(axis)) +
              (axis + 1 < tensor.rank() || axis == 0 ? "," : "");
  }
  header += "), }";
  const size_t before = kMagic.size() + 4;
  header.append(kAlignment - (before + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string out(kMagic);
  out += std::string("\x01\x00", 2);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  const size_t at = out.size();
  out.resize(at + tensor.num_bytes());
  LATHE_RETURN_IF_ERROR(tensor.CopyToHost(out.data() + at, tensor.num_bytes()));
  return out;
}

}  // namespace lathe::cli
