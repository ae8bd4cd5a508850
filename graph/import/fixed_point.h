// The fixed-point numbers of quantised models, as gemmlowp and TFLite's reference kernels have
// them: a factor is multiplier * 2^(shift - 31), and products are rounded twice.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>

namespace lathe::graph {

struct FixedPoint {
  int32_t multiplier = 0;  // [2^30, 2^31), or 0
  int32_t shift = 0;
};

// The nearest fixed-point number; 0 if `factor` is too small. `factor` is not negative.
FixedPoint ToFixedPoint(double factor);

// The high half of 2 x multiplier, with halves rounded up: floor(x multiplier / 2^31 + 1/2).
int64_t RoundedHighProduct(int64_t x, int64_t multiplier);
// x / 2^exponent, with halves rounded away from 0.
int64_t RoundedShift(int64_t x, int32_t exponent);
// x * factor, as the operator qnn.fixed_point_multiply.
int64_t Multiply(int64_t x, const FixedPoint& factor);

}  // namespace lathe::graph
