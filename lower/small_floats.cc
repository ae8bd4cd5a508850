#include "lower/small_floats.h"

#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/float_formats.h"
#include "ir/intrinsic.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

struct Format {
  int exponent_bits = 0, mantissa_bits = 0;
  int bias = 0;
  uint32_t largest = 0;   // bit pattern of the largest finite value
  uint32_t overflow = 0;  // the next bit pattern: infinity or NaN
  uint32_t nan = 0;
  bool has_negative_zero = true;
};

int MantissaBits(DataType dtype) {
  switch (dtype.code()) {
    case kDLFloat:
      return 10;
    case kDLBfloat:
      return 7;
    case kDLFloat8_e3m4:
      return 4;
    case kDLFloat8_e5m2:
    case kDLFloat8_e5m2fnuz:
      return 2;
    default:
      return 3;
  }
}

// Only base/float_formats.h defines what a format's bit patterns mean.
Format FormatOf(DataType dtype) {
  const DataType t = dtype.element_of();
  LATHE_CHECK(IsSmallFloat(t)) << t.ToString() << " is no small float";
  Format f;
  f.mantissa_bits = MantissaBits(t);
  f.exponent_bits = t.bits() - 1 - f.mantissa_bits;
  // The first normal number is 2^(1 - bias).
  f.bias = 1 - std::ilogb(DecodeFloat(uint64_t{1} << f.mantissa_bits, t));
  f.largest = (1u << (t.bits() - 1)) - 1;
  while (!std::isfinite(DecodeFloat(f.largest, t))) --f.largest;
  f.nan = static_cast<uint32_t>(EncodeFloat(std::nan(""), t));
  f.overflow = static_cast<uint32_t>(EncodeFloat(HUGE_VAL, t));
  f.has_negative_zero = !std::isnan(DecodeFloat(uint64_t{1} << (t.bits() - 1), t));
  return f;
}

Expr Bits(uint32_t value, const Expr& like) {
  return Int(static_cast<int64_t>(value), like->dtype);
}
Expr Left(const Expr& x, int by) { return by == 0 ? x : ShiftLeft(x, Int(by, x->dtype)); }
Expr Right(const Expr& x, int by) { return by == 0 ? x : ShiftRight(x, Int(by, x->dtype)); }
// Binds `x` to a name, for several uses.
Expr Named(const char* name, const Expr& x, const std::function<Expr(const Var&)>& body) {
  const Var var = MakeVar(name, x->dtype);
  return MakeLet(var, x, body(var));
}
DataType Of(DataType element, const Expr& like) {
  DLDataType type = element.dl();
  type.lanes = like->dtype.dl().lanes;
  return DataType(type);
}

}  // namespace

bool IsSmallFloat(DataType dtype) {
  return dtype.is_float() && dtype.bits() < 32 && dtype.code() != kDLFloat8_e8m0fnu;
}

Expr DecodeSmallFloat(const Expr& given, DataType dtype) {
  const Format f = FormatOf(dtype);
  const DataType f32 = Of(DataType::Float(32), given);
  return Named("bits", given, [&](const Var& bits) {
    const Expr b = bits;
    const Expr sign = Left(Right(b, f.exponent_bits + f.mantissa_bits), 31);
    const Expr magnitude = BitwiseAnd(b, Bits((1u << (f.exponent_bits + f.mantissa_bits)) - 1, b));
    const Expr at_place = Left(magnitude, 23 - f.mantissa_bits);
    if (f.bias == 127) {  // float32's own exponents: its subnormals and specials as well
      return Reinterpret(f32, BitwiseOr(sign, at_place));
    }
    const Expr normal = at_place + Bits(static_cast<uint32_t>(127 - f.bias) << 23, b);
    const Expr unit = Float(std::ldexp(1.0, 1 - f.bias - f.mantissa_bits), f32);
    const Expr subnormal = Reinterpret(Of(DataType::UInt(32), b), MakeCast(f32, magnitude) * unit);
    Expr value = MakeSelect(magnitude < Bits(1u << f.mantissa_bits, b), subnormal, normal);
    // Beyond the largest: infinity, then NaNs.
    const Expr special = MakeSelect(
        Equal(magnitude, Bits(f.overflow, b)),
        Bits(std::isinf(DecodeFloat(f.overflow, dtype.element_of())) ? 0x7f800000u : 0x7fc00000u,
             b),
        Bits(0x7fc00000u, b));
    value = MakeSelect(magnitude > Bits(f.largest, b), special, value);
    if (!f.has_negative_zero)
      value = MakeSelect(Equal(b, Bits(f.nan, b)), Bits(0x7fc00000u, b), value);
    return Reinterpret(f32, BitwiseOr(value, sign));
  });
}

Expr EncodeSmallFloat(const Expr& given, DataType dtype) {
  const Format f = FormatOf(dtype);
  const DataType u32 = Of(DataType::UInt(32), given);
  return Named("pattern", Reinterpret(u32, given), [&](const Var& pattern) {
    const Expr p = pattern;
    const int drop = 23 - f.mantissa_bits;
    const uint32_t sign_bit = 1u << (f.exponent_bits + f.mantissa_bits);
    return Named("magnitude", BitwiseAnd(p, Bits(0x7fffffffu, p)), [&](const Var& magnitude) {
      const Expr a = magnitude;
      const Expr sign = Left(Right(p, 31), f.exponent_bits + f.mantissa_bits);
      // Half a unit less one, plus one if the kept part is odd: ties to even.
      const Expr rounded =
          Right(a + Bits((1u << (drop - 1)) - 1, a) + BitwiseAnd(Right(a, drop), Bits(1, a)), drop);
      Expr q = rounded - Bits(static_cast<uint32_t>(127 - f.bias) << f.mantissa_bits, a);
      if (f.bias != 127) {
        // Below the normal numbers: adding a number whose unit is the smallest subnormal does the
        // rounding.
        const DataType f32 = Of(DataType::Float(32), given);
        const double addend = std::ldexp(1.0, 1 - f.bias - f.mantissa_bits + 23);
        const Expr sum = Reinterpret(f32, a) + Float(addend, f32);
        const Expr small = Reinterpret(u32, sum) - Reinterpret(u32, Float(addend, f32));
        q = MakeSelect(a < Bits(static_cast<uint32_t>(128 - f.bias) << 23, a), small, q);
      }
      return Named("rounded", q, [&](const Var& result) {
        const Expr out = MakeSelect(Expr(result) > Bits(f.largest, a), Bits(f.overflow, a), result);
        Expr with_sign = BitwiseOr(out, sign);
        if (!f.has_negative_zero) {
          const Expr keeps = LogicalOr(Equal(out, Bits(0, a)), Equal(out, Bits(f.nan, a)));
          with_sign = MakeSelect(keeps, out, with_sign);
        }
        const Expr nan =
            f.has_negative_zero ? BitwiseOr(Bits(f.nan & (sign_bit - 1), a), sign) : Bits(f.nan, a);
        return MakeSelect(a > Bits(0x7f800000u, a), nan, with_sign);
      });
    });
  });
}

Expr OddFloat32(const Expr& given) {
  const DataType f32 = Of(DataType::Float(32), given), f64 = given->dtype,
                 u32 = Of(DataType::UInt(32), given);
  return Named("exact", given, [&](const Var& exact) {
    return Named("near", MakeCast(f32, exact), [&](const Var& near) {
      const Expr back = MakeCast(f64, near);
      const Expr pattern = Reinterpret(u32, near);
      const Expr toward_zero =
          MakeSelect(Abs(back) > Abs(exact), pattern - Bits(1, pattern), pattern);
      const Expr odd = Reinterpret(f32, BitwiseOr(toward_zero, Bits(1, pattern)));
      // NaN is unequal to itself, so it stays.
      return MakeSelect(LogicalOr(Equal(back, exact), IsNan(exact)), near, odd);
    });
  });
}

}  // namespace lathe::lower
