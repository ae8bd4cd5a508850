// Integer helpers for the analyses.
#pragma once

#include <cstdint>
#include <optional>

namespace lathe::arith {

// Floor division and its remainder. Requires b != 0, and not a == INT64_MIN with b == -1.
inline int64_t FloorDivInt(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
inline int64_t FloorModInt(int64_t a, int64_t b) {
  const int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
// Greatest common divisor of the magnitudes; gcd(0, b) = |b|. The result is >= 0. If it were 2^63,
// which does not fit, it is 1.
inline int64_t GcdInt(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  uint64_t y = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  while (y != 0) {
    const uint64_t r = x % y;
    x = y;
    y = r;
  }
  return x > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(x);
}

// Nullopt on overflow.
inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<int64_t> CheckedSub(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// *into += value * scale. On overflow returns false and leaves *into unchanged.
inline bool Accumulate(int64_t* into, int64_t value, int64_t scale) {
  const auto product = CheckedMul(value, scale);
  const auto sum = product ? CheckedAdd(*into, *product) : std::nullopt;
  if (sum) *into = *sum;
  return sum.has_value();
}

}  // namespace lathe::arith
