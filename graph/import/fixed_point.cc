#include "graph/import/fixed_point.h"

#include <algorithm>
#include <cmath>

namespace lathe::graph {

FixedPoint ToFixedPoint(double factor) {
  FixedPoint fixed;
  if (factor == 0 || !std::isfinite(factor)) return fixed;
  const double fraction = std::frexp(factor, &fixed.shift);
  auto rounded = static_cast<int64_t>(std::round(fraction * static_cast<double>(1LL << 31)));
  if (rounded == 1LL << 31) {
    rounded /= 2;
    ++fixed.shift;
  }
  if (fixed.shift < -31) return {};
  fixed.multiplier = static_cast<int32_t>(rounded);
  return fixed;
}

int64_t RoundedHighProduct(int64_t x, int64_t multiplier) {
  return (x * multiplier + (1LL << 30)) >> 31;
}

int64_t RoundedShift(int64_t x, int32_t exponent) {
  if (exponent <= 0) return x;
  const int64_t half = 1LL << (exponent - 1);
  return (x + half - (x < 0 ? 1 : 0)) >> exponent;
}

int64_t Multiply(int64_t x, const FixedPoint& factor) {
  const int32_t left = std::max(factor.shift, 0), right = std::max(-factor.shift, 0);
  return RoundedShift(RoundedHighProduct(x << left, factor.multiplier), right);
}

}  // namespace lathe::graph
