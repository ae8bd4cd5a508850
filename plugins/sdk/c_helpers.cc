// What the text has besides kernels and functions: helper functions, and arrays of constants.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/float_formats.h"
#include "plugins/sdk/c_emitter.h"

namespace lathe::sdk::internal {

std::string CHelpers::Division(std::string_view op, DataType type) {
  const std::string name = "lathe_" + std::string(op) + "_" + type.ToString();
  if (functions_.count(name) != 0) return name;
  const std::string t = dialect_.Type(type);
  const std::string u = dialect_.Type(DataType::UInt(std::max(type.bits(), 32)));
  const bool quotient = op.ends_with("div"), floor = op.starts_with("floor");
  std::string body = "  if (b == 0) return 0;\n";
  if (type.is_int())  // the least number by -1 overflows
    body += quotient ? "  if (b == -1) return (" + t + ")((" + u + ")0 - (" + u + ")a);\n"
                     : "  if (b == -1) return 0;\n";
  if (!floor) {
    body += "  return (" + t + ")(a " + (quotient ? "/" : "%") + " b);\n";
  } else {
    body += "  const " + t + " r = (" + t + ")(a % b);\n";
    const std::string wrong = "(r != 0 && (r < 0) != (b < 0))";
    body += quotient ? "  return (" + t + ")(a / b - " + wrong + ");\n"
                     : "  return (" + t + ")(" + wrong + " ? r + b : r);\n";
  }
  functions_[name] = dialect_.HelperQualifiers() + " " + t + " " + name + "(" + t + " a, " + t +
                     " b) {\n" + body + "}\n";
  return name;
}

std::string CHelpers::QMultiplyShift() {
  const std::string name = "lathe_q_multiply_shift";
  const std::string i = dialect_.Type(DataType::Int(32)), l = dialect_.Type(DataType::Int(64));
  // Shifting by one bit less first keeps the bit that decides the rounding, and cannot overflow.
  functions_[name] = dialect_.HelperQualifiers() + " " + i + " " + name + "(" + i + " x, " + i +
                     " y, " + i + " q, " + i + " s) {\n  const " + l + " product = (" + l +
                     ")x * y;\n  const " + i +
                     " shift = q + s;\n  if (shift < 1 || shift > 62) return (" + i +
                     ")product;\n  return (" + i + ")(((product >> (shift - 1)) + 1) >> 1);\n}\n";
  return name;
}

std::string CHelpers::Constant(int64_t index) {
  const std::string name = "lathe_constant" + std::to_string(index);
  if (arrays_.count(name) != 0) return name;
  if (index < 0 || static_cast<size_t>(index) >= constants_.size()) {
    throw lathe::Error(Diagnostic{.name = "c-source-not-flat",
                                  .message = "constant " + std::to_string(index) +
                                             " is not among those of the request, which has " +
                                             std::to_string(constants_.size())});
  }
  const DLTensor& tensor = *constants_[static_cast<size_t>(index)];
  const DataType type(tensor.dtype);
  const auto bytes = static_cast<size_t>(type.element_of().bytes());
  size_t count = static_cast<size_t>(type.lanes());
  for (int32_t d = 0; d < tensor.ndim; ++d) count *= static_cast<size_t>(tensor.shape[d]);
  const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  const DataType element = ConstantElement(type);
  std::string values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data + i * bytes, bytes);
    values += i == 0 ? "" : i % 8 == 0 ? ",\n  " : ", ";
    values += ConstantText(element, bits);
  }
  if (count == 0) values = "0";
  arrays_[name] = dialect_.ConstantArray(element, name, values) + "\n";
  return name;
}

DataType CHelpers::ConstantElement(DataType type) {
  const DataType element = type.element_of();
  return dialect_.HasTypedConstants(element) ? element : DataType::UInt(element.bytes() * 8);
}

std::string CHelpers::ConstantText(DataType element, uint64_t bits) {
  if (element.is_float()) {
    const double value = DecodeFloat(bits, element);
    return std::isfinite(value) ? dialect_.FloatLiteral(element, value)
                                : dialect_.NonFinite(element, value);
  }
  const char* suffix = element.bits() == 64 ? dialect_.LongSuffix() : "";
  if (element.is_uint()) return std::to_string(bits) + "u" + suffix;
  const int unused = 64 - element.bits();
  const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
  // The least number cannot be written as -x.
  return value == INT64_MIN ? "-" + std::to_string(INT64_MAX) + suffix + " - 1"
                            : std::to_string(value) + suffix;
}

std::string CHelpers::ToString() const {
  std::string out;
  for (const auto& [name, text] : arrays_) out += text + "\n";
  for (const auto& [name, text] : functions_) out += text + "\n";
  return out;
}

}  // namespace lathe::sdk::internal
