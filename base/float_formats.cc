#include "base/float_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace lathe {
namespace {

// The layout of a format, and its behaviour at the top of its range.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum Top {
    kIeee,  // exponent all ones: infinities and NaNs
    kFn,    // only the all-ones pattern is NaN; no infinity
    kFnuz,  // the pattern of negative zero is NaN; no infinity, no negative zero
  } top;
};

bool FormatOf(DataType dtype, Format* out) {
  switch (dtype.code()) {
    case kDLFloat:
      if (dtype.bits() != 16) return false;
      *out = {5, 10, 15, Format::kIeee};
      return true;
    case kDLBfloat:
      *out = {8, 7, 127, Format::kIeee};
      return true;
    case kDLFloat8_e3m4:
      *out = {3, 4, 3, Format::kIeee};
      return true;
    case kDLFloat8_e4m3:
      *out = {4, 3, 7, Format::kIeee};
      return true;
    case kDLFloat8_e4m3b11fnuz:
      *out = {4, 3, 11, Format::kFnuz};
      return true;
    case kDLFloat8_e4m3fn:
      *out = {4, 3, 7, Format::kFn};
      return true;
    case kDLFloat8_e4m3fnuz:
      *out = {4, 3, 8, Format::kFnuz};
      return true;
    case kDLFloat8_e5m2:
      *out = {5, 2, 15, Format::kIeee};
      return true;
    case kDLFloat8_e5m2fnuz:
      *out = {5, 2, 16, Format::kFnuz};
      return true;
    default:
      return false;
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double DecodeSmall(uint64_t bits, const Format& f) {
  const uint64_t mantissa_mask = (uint64_t{1} << f.mantissa_bits) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t mantissa = bits & mantissa_mask;
  const uint64_t exponent = (bits >> f.mantissa_bits) & exponent_mask;
  const bool negative = ((bits >> (f.mantissa_bits + f.exponent_bits)) & 1) != 0;
  if (f.top == Format::kFnuz && negative && mantissa == 0 && exponent == 0) return kNan;
  if (exponent == exponent_mask) {
    if (f.top == Format::kIeee) {
      const double inf = std::numeric_limits<double>::infinity();
      return mantissa != 0 ? kNan : (negative ? -inf : inf);
    }
    if (f.top == Format::kFn && mantissa == mantissa_mask) return kNan;
  }
  const double magnitude =
      exponent == 0 ? std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa_bits)
                    : std::ldexp(static_cast<double>(mantissa | (mantissa_mask + 1)),
                                 static_cast<int>(exponent) - f.bias - f.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

uint64_t EncodeSmall(double value, const Format& f) {
  const uint64_t mantissa_mask = (uint64_t{1} << f.mantissa_bits) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t sign_bit = uint64_t{1} << (f.mantissa_bits + f.exponent_bits);
  const uint64_t nan = f.top == Format::kFnuz ? sign_bit
                       : f.top == Format::kFn ? (exponent_mask << f.mantissa_bits) | mantissa_mask
                                              : (exponent_mask << f.mantissa_bits) |
                                                    (uint64_t{1} << (f.mantissa_bits - 1));
  const uint64_t sign = std::signbit(value) ? sign_bit : 0;
  if (std::isnan(value)) return f.top == Format::kFnuz ? nan : nan | sign;
  const uint64_t overflow = f.top == Format::kIeee ? (exponent_mask << f.mantissa_bits) | sign
                                                   : (f.top == Format::kFnuz ? nan : nan | sign);
  if (std::isinf(value)) return overflow;
  const double magnitude = std::fabs(value);
  int exponent = 0;
  if (magnitude != 0) std::frexp(magnitude, &exponent);
  // The unit in the last place of the result. Subnormals share the smallest normal exponent.
  const int ulp_exponent = std::max(exponent - 1, 1 - f.bias) - f.mantissa_bits;
  // Both steps are exact in double: scaling by a power of two, and keeping at most 11 bits.
  const double scaled = std::nearbyint(std::ldexp(magnitude, -ulp_exponent));
  if (magnitude == 0 || scaled == 0) return f.top == Format::kFnuz ? 0 : sign;
  // `scaled` contains the hidden bit. So adding the exponent field also handles a carry from
  // rounding.
  const auto significand = static_cast<uint64_t>(scaled);
  const int field = ulp_exponent + f.mantissa_bits + f.bias;  // 1 for subnormals too
  const uint64_t bits = (static_cast<uint64_t>(field - 1) << f.mantissa_bits) + significand;
  const uint64_t limit = f.top == Format::kIeee ? (exponent_mask << f.mantissa_bits)
                         : f.top == Format::kFn ? (exponent_mask << f.mantissa_bits) | mantissa_mask
                                                : sign_bit;
  return bits >= limit ? overflow : bits | sign;
}

}  // namespace

double DecodeFloat(uint64_t bits, DataType dtype) {
  Format format;
  if (FormatOf(dtype, &format)) return DecodeSmall(bits, format);
  if (dtype.code() == kDLFloat8_e8m0fnu) {
    return (bits & 0xff) == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(bits & 0xff) - 127);
  }
  if (dtype.bits() == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

uint64_t EncodeFloat(double value, DataType dtype) {
  Format format;
  if (FormatOf(dtype, &format)) return EncodeSmall(value, format);
  if (dtype.code() == kDLFloat8_e8m0fnu) {
    if (std::isnan(value) || std::isinf(value) || value < 0) return 0xff;
    if (value == 0) return 0;
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
    // Ties to even: 1.5 * 2^k is midway, and is rounded to the even exponent field.
    int field = exponent - 1 + 127;
    if (fraction > 0.75 || (fraction == 0.75 && (field & 1) != 0)) ++field;
    if (field > 254) return 0xff;
    return static_cast<uint64_t>(field < 0 ? 0 : field);
  }
  if (dtype.bits() == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<uint64_t>(value);
}

double RoundToType(double value, DataType dtype) {
  if (dtype.code() == kDLFloat && dtype.bits() == 64) return value;
  if (dtype.code() == kDLFloat && dtype.bits() == 32) return static_cast<float>(value);
  return DecodeFloat(EncodeFloat(value, dtype), dtype);
}

}  // namespace lathe
