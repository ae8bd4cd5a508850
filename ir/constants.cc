#include "ir/constants.h"

#include <charconv>

#include "base/error.h"
#include "ir/expr.h"

namespace lathe::ir {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr std::string_view kPrefix = "constant.";

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// -1 where no memory holds as much.
int64_t BytesOf(DataType dtype, const std::vector<int64_t>& shape) {
  int64_t bytes = dtype.bytes();
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return -1;
  }
  return bytes;
}

[[noreturn]] void Malformed(const std::string& why) {
  throw Error(Diagnostic{.name = "constant-malformed",
                         .message = "a constant cannot be read: " + why,
                         .expected = "text as `float32[2, 3]:` and its bytes in hexadecimal",
                         .found = why,
                         .help = "make constants by te::Constant"});
}

}  // namespace

Expr MakeConstant(const Constant& constant) {
  const int64_t bytes = BytesOf(constant.dtype, constant.shape);
  if (bytes < 0 || constant.bytes.size() != static_cast<uint64_t>(bytes)) {
    throw Error(Diagnostic{.name = "constant-size",
                           .message = "a constant's data does not fit its shape and type",
                           .expected = std::to_string(bytes) + " bytes",
                           .found = std::to_string(constant.bytes.size()) + " bytes",
                           .help = "pass the elements compact, in row-major order"});
  }
  std::string text = constant.dtype.ToString() + "[";
  for (size_t d = 0; d < constant.shape.size(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(constant.shape[d]);
  text += "]:";
  text.reserve(text.size() + 2 * constant.bytes.size());
  for (const char c : constant.bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return String(std::move(text));
}

Constant ReadConstant(const NodeRef& attribute) {
  const auto* imm = As<StringImm>(attribute);
  if (imm == nullptr) Malformed("no string");
  const std::string_view text = imm->value;
  const size_t open = text.find('['), colon = text.find("]:");
  Constant out;
  if (open == std::string_view::npos || colon == std::string_view::npos || colon < open ||
      !DataType::Parse(text.substr(0, open), &out.dtype))
    Malformed("no type and shape");
  std::string_view shape = text.substr(open + 1, colon - open - 1);
  while (!shape.empty()) {
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc()) Malformed("no extent");
    out.shape.push_back(extent);
    shape.remove_prefix(static_cast<size_t>(end - shape.data()));
    if (shape.starts_with(", ")) shape.remove_prefix(2);
  }
  const std::string_view digits = text.substr(colon + 2);
  const int64_t bytes = BytesOf(out.dtype, out.shape);
  if (bytes < 0 || digits.size() != 2 * static_cast<uint64_t>(bytes))
    Malformed("another number of bytes than the shape has");
  out.bytes.reserve(static_cast<size_t>(bytes));
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = DigitOf(digits[i]), low = DigitOf(digits[i + 1]);
    if (high < 0 || low < 0) Malformed("no hexadecimal digit");
    out.bytes += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string ConstantKey(int64_t index) { return std::string(kPrefix) + std::to_string(index); }

std::vector<NodeRef> ConstantsIn(const Dict& attrs) {
  size_t count = 0;
  for (const auto& [key, value] : attrs) count += key.starts_with(kPrefix) ? 1 : 0;
  std::vector<NodeRef> table;
  for (size_t i = 0; i < count; ++i) {
    const auto at = attrs.find(ConstantKey(static_cast<int64_t>(i)));
    if (at == attrs.end()) Malformed("number " + std::to_string(i) + " is missing");
    table.push_back(at->second);
  }
  return table;
}

int64_t IndexOfConstant(std::vector<NodeRef>* table, const NodeRef& attribute) {
  const auto* text = As<StringImm>(attribute);
  if (text == nullptr) Malformed("no string");
  for (size_t i = 0; i < table->size(); ++i) {
    const auto* known = As<StringImm>((*table)[i]);
    if (known == text || (known != nullptr && known->value == text->value))
      return static_cast<int64_t>(i);
  }
  table->push_back(attribute);
  return static_cast<int64_t>(table->size()) - 1;
}

}  // namespace lathe::ir
