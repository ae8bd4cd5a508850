#include "base/dtype.h"

#include <charconv>

namespace lathe {
namespace {

struct NamedCode {
  std::string_view name;
  int code;
  int bits;  // 0: the bits follow the name
};

// If one name begins with another, the longer one comes first.
constexpr NamedCode kCodes[] = {
    {"float8_e3m4", kDLFloat8_e3m4, 8},
    {"float8_e4m3b11fnuz", kDLFloat8_e4m3b11fnuz, 8},
    {"float8_e4m3fnuz", kDLFloat8_e4m3fnuz, 8},
    {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
    {"float8_e4m3", kDLFloat8_e4m3, 8},
    {"float8_e5m2fnuz", kDLFloat8_e5m2fnuz, 8},
    {"float8_e5m2", kDLFloat8_e5m2, 8},
    {"float8_e8m0fnu", kDLFloat8_e8m0fnu, 8},
    {"bfloat16", kDLBfloat, 16},
    {"bool", kDLBool, 8},
    {"handle", kDLOpaqueHandle, 64},
    {"uint", kDLUInt, 0},
    {"int", kDLInt, 0},
    {"float", kDLFloat, 0},
};

bool TakeNumber(std::string_view& text, int* out) {
  if (text.empty() || text[0] < '1' || text[0] > '9') return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool KnownBits(int code, int bits) {
  switch (code) {
    case kDLInt:
    case kDLUInt:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 ||
             bits == 64;
    case kDLFloat:
      return bits == 16 || bits == 32 || bits == 64;
    default:
      return true;
  }
}

}  // namespace

std::string DataType::ToString() const {
  if (is_void()) return "void";
  std::string out;
  for (const NamedCode& entry : kCodes) {
    if (entry.code == code() && (entry.bits == 0 || entry.bits == bits())) {
      out = entry.name;
      if (entry.bits == 0) out += std::to_string(bits());
      break;
    }
  }
  if (out.empty()) out = "custom[" + std::to_string(code()) + "]" + std::to_string(bits());
  if (is_scalable()) return out + "xvscalex" + std::to_string(lanes());
  if (lanes() != 1) out += "x" + std::to_string(lanes());
  return out;
}

bool DataType::Parse(std::string_view text, DataType* out) {
  if (text == "void") {
    *out = Void();
    return true;
  }
  for (const NamedCode& entry : kCodes) {
    if (!text.starts_with(entry.name)) continue;
    std::string_view rest = text.substr(entry.name.size());
    int bits = entry.bits;
    if (bits == 0 && (!TakeNumber(rest, &bits) || !KnownBits(entry.code, bits))) return false;
    int lanes = 1;
    bool scalable = false;
    if (!rest.empty()) {
      if (rest[0] != 'x') return false;
      rest.remove_prefix(1);
      if (rest.starts_with("vscalex")) {
        scalable = true;
        rest.remove_prefix(7);
      }
      if (!TakeNumber(rest, &lanes) || !rest.empty() || lanes > 32767) return false;
    }
    *out = DataType(entry.code, bits, scalable ? -lanes : lanes);
    return true;
  }
  return false;
}

}  // namespace lathe
