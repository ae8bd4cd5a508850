// Elementwise intrinsics. They compute in a wider format than their type (double; long double for
// float64). So the single rounding of the interpreter at the end gives the correctly rounded
// result, except for rare ties.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/float_formats.h"
#include "ir/intrinsic_names.h"
#include "ir/intrinsic_table.h"

namespace lathe::ir {
namespace {

bool IsDouble(DataType t) { return t.code() == kDLFloat && t.bits() == 64; }
bool IsSingle(DataType t) { return t.code() == kDLFloat && t.bits() == 32; }

Intrinsic Elementwise(const char* name, std::vector<ArgKind> args, const char* doc,
                      IntrinsicFunction evaluate) {
  Intrinsic entry;
  entry.name = name;
  entry.args = std::move(args);
  entry.same_types = true;
  entry.elementwise = true;
  entry.doc = doc;
  entry.evaluate = std::move(evaluate);
  return entry;
}

// `f` computes in the type of its argument: double, or long double for float64.
template <class F>
Intrinsic FloatUnary(const char* name, const char* doc, F f) {
  return Elementwise(name, {ArgKind::kFloat}, doc, [f](const IntrinsicCall& call) {
    const bool wide = IsDouble(call.type.element_of());
    for (size_t k = 0; k < call.result.size(); ++k) {
      const double x = call.args[0][k].d;
      call.result[k].d = wide ? static_cast<double>(f(static_cast<long double>(x))) : f(x);
    }
  });
}

template <class F>
Intrinsic FloatBinary(const char* name, const char* doc, F f) {
  return Elementwise(name, {ArgKind::kFloat, ArgKind::kFloat}, doc, [f](const IntrinsicCall& call) {
    const bool wide = IsDouble(call.type.element_of());
    for (size_t k = 0; k < call.result.size(); ++k) {
      const double x = call.args[0][k].d, y = call.args[1][k].d;
      call.result[k].d =
          wide ? static_cast<double>(f(static_cast<long double>(x), static_cast<long double>(y)))
               : f(x, y);
    }
  });
}

template <class F>
Intrinsic FloatTest(const char* name, const char* doc, F f) {
  Intrinsic entry = Elementwise(name, {ArgKind::kFloat}, doc, [f](const IntrinsicCall& call) {
    for (size_t k = 0; k < call.result.size(); ++k) {
      call.result[k].i = f(call.args[0][k].d) ? 1 : 0;
    }
  });
  entry.result_rule = ResultRule::kBoolLanes;
  return entry;
}

// `f` maps the low `bits` bits of its argument to a result, of which only the low bits are used.
template <class F>
Intrinsic IntegerUnary(const char* name, const char* doc, F f) {
  return Elementwise(name, {ArgKind::kInteger}, doc, [f](const IntrinsicCall& call) {
    const int bits = call.type.bits();
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (size_t k = 0; k < call.result.size(); ++k) {
      call.result[k].i =
          static_cast<int64_t>(f(static_cast<uint64_t>(call.args[0][k].i) & mask, bits));
    }
  });
}

// `f` gets both arguments as the interpreter holds them (sign- or zero-extended).
template <class F>
Intrinsic IntegerBinary(const char* name, const char* doc, F f) {
  return Elementwise(name, {ArgKind::kInteger, ArgKind::kInteger}, doc,
                     [f](const IntrinsicCall& call) {
                       for (size_t k = 0; k < call.result.size(); ++k) {
                         call.result[k].i = f(call.args[0][k].i, call.args[1][k].i, call.type);
                       }
                     });
}

int64_t ShiftLeftLane(int64_t x, int64_t by, DataType type) {
  if (by < 0 || by >= type.bits()) return 0;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << by);
}

int64_t ShiftRightLane(int64_t x, int64_t by, DataType type) {
  if (by < 0 || by >= type.bits()) return 0;
  return type.is_uint() ? static_cast<int64_t>(static_cast<uint64_t>(x) >> by) : x >> by;
}

// The next value of a narrow format. The bit patterns are sign and magnitude, and magnitudes are
// ordered like integers.
double NextInFormat(double x, double toward, DataType type) {
  if (std::isnan(x) || std::isnan(toward)) return std::numeric_limits<double>::quiet_NaN();
  if (x == toward) return toward;
  const bool has_sign = type.code() != kDLFloat8_e8m0fnu;
  const uint64_t sign_bit = has_sign ? uint64_t{1} << (type.bits() - 1) : 0;
  const uint64_t bits = EncodeFloat(x, type);
  const auto magnitude = static_cast<int64_t>(bits & ~sign_bit);
  int64_t order = (bits & sign_bit) != 0 ? -magnitude : magnitude;
  order += toward > x ? 1 : -1;
  if (order < 0 && !has_sign) return x;
  return DecodeFloat(
      order < 0 ? static_cast<uint64_t>(-order) | sign_bit : static_cast<uint64_t>(order), type);
}

double NextAfterLane(double x, double toward, DataType type) {
  if (IsDouble(type)) return std::nextafter(x, toward);
  if (IsSingle(type)) return std::nextafter(static_cast<float>(x), static_cast<float>(toward));
  return NextInFormat(x, toward, type);
}

Intrinsic MakeNextAfter() {
  return Elementwise(
      intrinsic::kNextafter, {ArgKind::kFloat, ArgKind::kFloat},
      "the value of the type next to x in the direction of y; y where they are equal",
      [](const IntrinsicCall& call) {
        const DataType type = call.type.element_of();
        for (size_t k = 0; k < call.result.size(); ++k) {
          call.result[k].d = NextAfterLane(call.args[0][k].d, call.args[1][k].d, type);
        }
      });
}

Intrinsic MakeLdexp() {
  Intrinsic entry = Elementwise(
      intrinsic::kLdexp, {ArgKind::kFloat, ArgKind::kInteger},
      "x * 2^n for an integer n, rounded once", [](const IntrinsicCall& call) {
        const bool is_unsigned = call.arg_types[1].is_uint();
        for (size_t k = 0; k < call.result.size(); ++k) {
          const int64_t n = call.args[1][k].i;
          // Beyond +-5000 every result of every format is 0 or infinite.
          const int by =
              is_unsigned && n < 0 ? 5000 : static_cast<int>(std::clamp<int64_t>(n, -5000, 5000));
          const long double wide = std::ldexp(static_cast<long double>(call.args[0][k].d), by);
          call.result[k].d = static_cast<double>(wide);
        }
      });
  entry.same_types = false;
  return entry;
}

Intrinsic MakeScalb() {
  return Elementwise(
      intrinsic::kScalb, {ArgKind::kFloat, ArgKind::kFloat},
      "x * 2^n for a number n that is an integer, rounded once", [](const IntrinsicCall& call) {
        for (size_t k = 0; k < call.result.size(); ++k) {
          // Beyond +-5000 every result of every format is 0 or infinite.
          const double n = std::clamp(call.args[1][k].d, -5000.0, 5000.0);
          const auto wide = static_cast<long double>(call.args[0][k].d);
          call.result[k].d =
              std::isnan(n) ? n : static_cast<double>(std::ldexp(wide, static_cast<int>(n)));
        }
      });
}

Intrinsic MakeFma() {
  return Elementwise(
      intrinsic::kFma, {ArgKind::kFloat, ArgKind::kFloat, ArgKind::kFloat},
      "a * b + c, rounded once", [](const IntrinsicCall& call) {
        const bool wide = IsDouble(call.type.element_of());
        for (size_t k = 0; k < call.result.size(); ++k) {
          const double a = call.args[0][k].d, b = call.args[1][k].d, c = call.args[2][k].d;
          call.result[k].d =
              wide ? std::fma(a, b, c)
                   : std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
        }
      });
}

Intrinsic MakeAbs() {
  return Elementwise(intrinsic::kAbs, {ArgKind::kNumber},
                     "the magnitude; the least signed integer maps to itself",
                     [](const IntrinsicCall& call) {
                       const bool floats = call.type.is_float(), signed_ints = call.type.is_int();
                       for (size_t k = 0; k < call.result.size(); ++k) {
                         const Lane x = call.args[0][k];
                         if (floats) {
                           call.result[k].d = std::fabs(x.d);
                         } else if (signed_ints && x.i < 0) {
                           call.result[k].i = static_cast<int64_t>(0 - static_cast<uint64_t>(x.i));
                         } else {
                           call.result[k].i = x.i;
                         }
                       }
                     });
}

Intrinsic MakeFixedPointMultiply() {
  Intrinsic entry =
      Elementwise(intrinsic::kQMultiplyShift,
                  {ArgKind::kInteger, ArgKind::kInteger, ArgKind::kInteger, ArgKind::kInteger},
                  "floor(x * y / 2^(q + s) + 1/2) in 64 bits, wrapped to int32: the product of "
                  "fixed-point numbers "
                  "with q fraction bits, shifted right by s; 0 <= q + s <= 62",
                  [](const IntrinsicCall& call) {
                    for (size_t k = 0; k < call.result.size(); ++k) {
                      const int64_t product = call.args[0][k].i * call.args[1][k].i;
                      const int64_t shift = call.args[2][k].i + call.args[3][k].i;
                      int64_t out = 0;  // outside the range of shifts: unspecified
                      if (shift == 0) out = product;
                      // Shifting by one less first keeps the bit that decides the rounding, and
                      // cannot overflow.
                      if (shift >= 1 && shift <= 62) out = ((product >> (shift - 1)) + 1) >> 1;
                      call.result[k].i = out;
                    }
                  });
  entry.check = [](const std::vector<NodeRef>&, DataType type) -> std::string {
    return type.element_of() == DataType::Int(32) ? ""
                                                  : "it works on int32, not on " + type.ToString();
  };
  return entry;
}

}  // namespace

std::vector<Intrinsic> MathIntrinsics() {
  std::vector<Intrinsic> out;
#define LATHE_FLOAT(name, doc, expression) \
  out.push_back(FloatUnary(name, doc, [](auto x) { return expression; }))
  LATHE_FLOAT(intrinsic::kExp, "e^x", std::exp(x));
  LATHE_FLOAT(intrinsic::kExp2, "2^x", std::exp2(x));
  LATHE_FLOAT(intrinsic::kExp10, "10^x", std::pow(decltype(x)(10), x));
  LATHE_FLOAT(intrinsic::kLog, "natural logarithm", std::log(x));
  LATHE_FLOAT(intrinsic::kLog2, "logarithm to base 2", std::log2(x));
  LATHE_FLOAT(intrinsic::kLog10, "logarithm to base 10", std::log10(x));
  LATHE_FLOAT(intrinsic::kLog1p, "log(1 + x) without losing small x", std::log1p(x));
  LATHE_FLOAT(intrinsic::kExpm1, "e^x - 1 without losing small x", std::expm1(x));
  LATHE_FLOAT(intrinsic::kSqrt, "square root; NaN below 0", std::sqrt(x));
  LATHE_FLOAT(intrinsic::kRsqrt, "1 / sqrt(x)", 1 / std::sqrt(x));
  LATHE_FLOAT(intrinsic::kSin, "sine of radians", std::sin(x));
  LATHE_FLOAT(intrinsic::kCos, "cosine of radians", std::cos(x));
  LATHE_FLOAT(intrinsic::kTan, "tangent of radians", std::tan(x));
  LATHE_FLOAT(intrinsic::kAsin, "arc sine in [-pi/2, pi/2]; NaN outside [-1, 1]", std::asin(x));
  LATHE_FLOAT(intrinsic::kAcos, "arc cosine in [0, pi]; NaN outside [-1, 1]", std::acos(x));
  LATHE_FLOAT(intrinsic::kAtan, "arc tangent in [-pi/2, pi/2]", std::atan(x));
  LATHE_FLOAT(intrinsic::kSinh, "hyperbolic sine", std::sinh(x));
  LATHE_FLOAT(intrinsic::kCosh, "hyperbolic cosine", std::cosh(x));
  LATHE_FLOAT(intrinsic::kTanh, "hyperbolic tangent", std::tanh(x));
  LATHE_FLOAT(intrinsic::kAsinh, "inverse hyperbolic sine", std::asinh(x));
  LATHE_FLOAT(intrinsic::kAcosh, "inverse hyperbolic cosine; NaN below 1", std::acosh(x));
  LATHE_FLOAT(intrinsic::kAtanh, "inverse hyperbolic tangent; NaN outside [-1, 1]", std::atanh(x));
  LATHE_FLOAT(intrinsic::kSigmoid, "1 / (1 + e^-x)", 1 / (1 + std::exp(-x)));
  LATHE_FLOAT(intrinsic::kErf, "error function", std::erf(x));
  LATHE_FLOAT(intrinsic::kFloor, "the greatest integer not above x", std::floor(x));
  LATHE_FLOAT(intrinsic::kCeil, "the least integer not below x", std::ceil(x));
  LATHE_FLOAT(intrinsic::kRound, "the nearest integer, halves away from zero", std::round(x));
  LATHE_FLOAT(intrinsic::kNearbyint, "the nearest integer, halves to even", std::nearbyint(x));
  LATHE_FLOAT(intrinsic::kTrunc, "the integer part", std::trunc(x));
#undef LATHE_FLOAT
  out.push_back(
      FloatTest(intrinsic::kIsnan, "is x not a number", [](double x) { return std::isnan(x); }));
  out.push_back(
      FloatTest(intrinsic::kIsinf, "is x an infinity", [](double x) { return std::isinf(x); }));
  out.push_back(FloatTest(intrinsic::kIsfinite, "is x neither NaN nor infinite",
                          [](double x) { return std::isfinite(x); }));
#define LATHE_FLOAT(name, doc, expression) \
  out.push_back(FloatBinary(name, doc, [](auto x, auto y) { return expression; }))
  LATHE_FLOAT(intrinsic::kAtan2, "angle of the point (y of the first, x of the second argument)",
              std::atan2(x, y));
  LATHE_FLOAT(intrinsic::kPow, "x^y as in C", std::pow(x, y));
  LATHE_FLOAT(intrinsic::kFmod, "x - trunc(x / y) * y, exactly, with the sign of x",
              std::fmod(x, y));
  LATHE_FLOAT(intrinsic::kCopysign, "the magnitude of x with the sign of y", std::copysign(x, y));
  LATHE_FLOAT(intrinsic::kHypot, "sqrt(x^2 + y^2) without overflow between", std::hypot(x, y));
#undef LATHE_FLOAT
  out.push_back(MakeNextAfter());
  out.push_back(MakeLdexp());
  out.push_back(MakeScalb());
  out.push_back(MakeFma());
  out.push_back(MakeAbs());
  out.push_back(IntegerUnary(intrinsic::kPopcount, "the number of one bits",
                             [](uint64_t x, int) { return std::popcount(x); }));
  out.push_back(
      IntegerUnary(intrinsic::kClz, "the number of zero bits before the first one; all bits for 0",
                   [](uint64_t x, int bits) { return std::countl_zero(x) - (64 - bits); }));
  out.push_back(IntegerUnary(intrinsic::kBitwiseNot, "every bit inverted",
                             [](uint64_t x, int) { return ~x; }));
  out.push_back(IntegerBinary(intrinsic::kBitwiseAnd, "bits set in both",
                              [](int64_t x, int64_t y, DataType) { return x & y; }));
  out.push_back(IntegerBinary(intrinsic::kBitwiseOr, "bits set in either",
                              [](int64_t x, int64_t y, DataType) { return x | y; }));
  out.push_back(IntegerBinary(intrinsic::kBitwiseXor, "bits set in one of both",
                              [](int64_t x, int64_t y, DataType) { return x ^ y; }));
  out.push_back(IntegerBinary(
      intrinsic::kShiftLeft, "x * 2^y, wrapping; unspecified unless 0 <= y < bits", ShiftLeftLane));
  out.push_back(IntegerBinary(intrinsic::kShiftRight,
                              "floor(x / 2^y): arithmetic for signed, logical for unsigned types; "
                              "unspecified unless 0 <= y < bits",
                              ShiftRightLane));
  out.push_back(MakeFixedPointMultiply());
  return out;
}

}  // namespace lathe::ir
