#include "arith/const_bound.h"

#include <algorithm>

#include "arith/int_math.h"

namespace lathe::arith {
namespace {

constexpr int64_t kNegInf = ConstBound::kNegInf;
constexpr int64_t kPosInf = ConstBound::kPosInf;

bool IsInf(int64_t v) { return v == kNegInf || v == kPosInf; }

// The sum of two lower or of two upper ends. Infinite if either end is infinite or the sum
// overflows.
int64_t SatAdd(int64_t a, int64_t b, int64_t infinity) {
  if (IsInf(a) || IsInf(b)) return infinity;
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return a > 0 ? kPosInf : kNegInf;
  return r;
}

int64_t SatNegate(int64_t a) {
  if (a == kNegInf) return kPosInf;
  if (a == kPosInf) return kNegInf;
  return -a;
}

int64_t SatMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  int64_t r;
  if (IsInf(a) || IsInf(b) || __builtin_mul_overflow(a, b, &r)) return negative ? kNegInf : kPosInf;
  return r;
}

// floor(a / b) or trunc(a / b) for two ends, b != 0.
int64_t SatDiv(int64_t a, int64_t b, bool floor) {
  const bool negative = (a < 0) != (b < 0);
  if (IsInf(a)) return negative ? kNegInf : kPosInf;
  if (IsInf(b)) return floor && negative && a != 0 ? -1 : 0;
  return floor ? FloorDivInt(a, b) : a / b;
}

ConstBound DivOf(ConstBound a, ConstBound b, bool floor) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  ConstBound result = ConstBound::Nothing();
  // As long as the divisor keeps its sign, the quotient is monotone in each operand. So its
  // extremes are at the corners.
  auto corners = [&](int64_t low, int64_t high) {
    for (int64_t numerator : {a.min, a.max}) {
      for (int64_t divisor : {low, high}) {
        const int64_t q = SatDiv(numerator, divisor, floor);
        result = Union(result, {q, q});
      }
    }
  };
  if (b.max > 0) corners(std::max<int64_t>(b.min, 1), b.max);
  if (b.min < 0) corners(b.min, std::min<int64_t>(b.max, -1));
  return result.is_empty() ? ConstBound::Everything() : result;
}

}  // namespace

ConstBound ConstBound::OfType(DataType dtype) {
  if (dtype.is_bool()) return {0, 1};
  if (dtype.is_int() && dtype.bits() < 64) {
    const int64_t half = int64_t{1} << (dtype.bits() - 1);
    return {-half, half - 1};
  }
  if (dtype.is_uint()) {
    return {0, dtype.bits() < 63 ? (int64_t{1} << dtype.bits()) - 1 : kPosInf};
  }
  return Everything();
}

std::string ConstBound::ToString() const {
  auto end = [](int64_t v) {
    return v == kNegInf   ? std::string("-inf")
           : v == kPosInf ? std::string("inf")
                          : std::to_string(v);
  };
  return is_empty() ? "[]" : "[" + end(min) + ", " + end(max) + "]";
}

ConstBound Union(ConstBound a, ConstBound b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

ConstBound Intersect(ConstBound a, ConstBound b) {
  const ConstBound r{std::max(a.min, b.min), std::min(a.max, b.max)};
  return r.is_empty() ? ConstBound::Nothing() : r;
}

ConstBound operator+(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  return {SatAdd(a.min, b.min, kNegInf), SatAdd(a.max, b.max, kPosInf)};
}

ConstBound operator-(ConstBound a) {
  if (a.is_empty()) return a;
  return {SatNegate(a.max), SatNegate(a.min)};
}

ConstBound operator-(ConstBound a, ConstBound b) { return a + (-b); }

ConstBound operator*(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  ConstBound result = ConstBound::Nothing();
  for (int64_t x : {a.min, a.max}) {
    for (int64_t y : {b.min, b.max}) {
      const int64_t p = SatMul(x, y);
      result = Union(result, {p, p});
    }
  }
  return result;
}

ConstBound MinOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

ConstBound MaxOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

ConstBound FloorDivOf(ConstBound a, ConstBound b) { return DivOf(a, b, true); }
ConstBound TruncDivOf(ConstBound a, ConstBound b) { return DivOf(a, b, false); }

ConstBound FloorModOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  if (b.min == 0 && b.max == 0) return ConstBound::Everything();
  // Within one period of a constant divisor, the remainder is the value minus a constant.
  if (b.is_point() && b.min > 0 && a.has_min() && a.has_max() &&
      FloorDivInt(a.min, b.min) == FloorDivInt(a.max, b.min)) {
    return {FloorModInt(a.min, b.min), FloorModInt(a.max, b.min)};
  }
  ConstBound result = ConstBound::Point(0);
  if (b.max > 0) {
    int64_t top = b.max == kPosInf ? kPosInf : b.max - 1;
    if (a.min >= 0) top = std::min(top, a.max);
    result.max = top;
    // If 0 <= a < b, the remainder is a.
    if (b.min > 0 && a.min >= 0 && a.max < b.min) result.min = a.min;
  }
  if (b.min < 0) {
    int64_t bottom = b.min == kNegInf ? kNegInf : b.min + 1;
    if (a.max <= 0) bottom = std::max(bottom, a.min);
    result.min = std::min(result.min, bottom);
  }
  return result;
}

ConstBound TruncModOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  if (b.min == 0 && b.max == 0) return ConstBound::Everything();
  int64_t top = kPosInf;  // largest magnitude: max(|b|) - 1
  if (b.has_min() && b.has_max()) top = std::max(b.max, SatNegate(b.min)) - 1;
  ConstBound result{SatNegate(top), top};
  // The remainder has a's sign and is no larger than a.
  if (a.min >= 0) result.min = 0;
  if (a.max <= 0) result.max = 0;
  result.max = std::min(result.max, std::max<int64_t>(a.max, 0));
  result.min = std::max(result.min, std::min<int64_t>(a.min, 0));
  if (b.min > 0 && a.min >= 0 && a.max < b.min) return a;
  return result;
}

ConstBound BitAndOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  // A non-negative operand bounds the result from both sides. The result is negative if both
  // operands are.
  if (a.min >= 0 && b.min >= 0) return {0, std::min(a.max, b.max)};
  if (a.min >= 0) return {0, a.max};
  if (b.min >= 0) return {0, b.max};
  ConstBound result{kNegInf, std::max(a.max, b.max)};
  return result;
}

ConstBound ShiftRightOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  if (b.min < 0 || b.max > 62) return ConstBound::Everything();
  return FloorDivOf(a, {int64_t{1} << b.min, int64_t{1} << b.max});
}

ConstBound ShiftLeftOf(ConstBound a, ConstBound b) {
  if (a.is_empty() || b.is_empty()) return ConstBound::Nothing();
  if (b.min < 0 || b.max > 62) return ConstBound::Everything();
  return a * ConstBound{int64_t{1} << b.min, int64_t{1} << b.max};
}

ConstBound FitInto(ConstBound value, DataType dtype) {
  const ConstBound type = ConstBound::OfType(dtype);
  // For uint64, a bound above the int64 maximum is +inf. So a value with an infinite end may
  // already have wrapped.
  if (dtype.is_uint() && dtype.bits() >= 63 && !value.has_max()) return type;
  return type.Contains(value) ? value : type;
}

}  // namespace lathe::arith
