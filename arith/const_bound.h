// Constant bounds: intervals [min, max] of int64 with infinite ends, and their arithmetic.
//
// A bound is a superset of the values of an expression. Arithmetic is that of unlimited integers
// and saturates to the infinite ends; it never wraps. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/dtype.h"

namespace lathe::arith {

// The int64 minimum and maximum stand for -inf and +inf. min > max is the empty set (code that is
// never reached).
struct ConstBound {
  static constexpr int64_t kNegInf = INT64_MIN;
  static constexpr int64_t kPosInf = INT64_MAX;
  int64_t min = kNegInf;
  int64_t max = kPosInf;

  static constexpr ConstBound Everything() { return {}; }
  static constexpr ConstBound Nothing() { return {kPosInf, kNegInf}; }
  static constexpr ConstBound Point(int64_t value) { return {value, value}; }
  // All values of an integer or bool type. Everything for other types. For uint64 the maximum is
  // +inf.
  static ConstBound OfType(DataType dtype);

  bool is_empty() const { return min > max; }
  bool is_point() const { return min == max && min != kNegInf && min != kPosInf; }
  bool has_min() const { return min != kNegInf; }
  bool has_max() const { return max != kPosInf; }
  bool Contains(int64_t value) const { return min <= value && value <= max; }
  bool Contains(const ConstBound& other) const {
    return other.is_empty() || (min <= other.min && other.max <= max);
  }
  std::string ToString() const;  // "[0, 31]", "[-inf, 7]"
  friend bool operator==(const ConstBound&, const ConstBound&) = default;
};

ConstBound Union(ConstBound a, ConstBound b);
ConstBound Intersect(ConstBound a, ConstBound b);
ConstBound operator+(ConstBound a, ConstBound b);
ConstBound operator-(ConstBound a, ConstBound b);
ConstBound operator-(ConstBound a);
ConstBound operator*(ConstBound a, ConstBound b);
ConstBound MinOf(ConstBound a, ConstBound b);
ConstBound MaxOf(ConstBound a, ConstBound b);
// Quotients and remainders ignore the divisor 0 (an error in the program). If b is {0}, the result
// is everything.
ConstBound FloorDivOf(ConstBound a, ConstBound b);
ConstBound FloorModOf(ConstBound a, ConstBound b);
ConstBound TruncDivOf(ConstBound a, ConstBound b);
ConstBound TruncModOf(ConstBound a, ConstBound b);
// Bitwise and of two's complement numbers, and arithmetic shifts. Shift counts outside [0, 62] make
// the result unknown.
ConstBound BitAndOf(ConstBound a, ConstBound b);
ConstBound ShiftRightOf(ConstBound a, ConstBound b);
ConstBound ShiftLeftOf(ConstBound a, ConstBound b);
// The bound after a conversion to `dtype`: `value` itself if it fits, else all values of the type.
ConstBound FitInto(ConstBound value, DataType dtype);

}  // namespace lathe::arith
