// Built three times, with LATHE_LEVEL and -march=x86-64-<level>.
#include "examples/plain_loop.h"

#define LATHE_JOIN_(a, b) a##b
#define LATHE_JOIN(a, b) LATHE_JOIN_(a, b)

namespace lathe::examples {

void LATHE_JOIN(RgbToYuv_, LATHE_LEVEL)(const float* __restrict rgb, float* __restrict y,
                                        float* __restrict u, float* __restrict v, int64_t pixels) {
  for (int64_t i = 0; i < pixels; ++i) {
    const float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    y[i] = 0.257f * r + 0.504f * g + 0.098f * b + 16.0f;
    u[i] = -0.148f * r - 0.291f * g + 0.439f * b + 128.0f;
    v[i] = 0.439f * r - 0.368f * g - 0.071f * b + 128.0f;
  }
}

}  // namespace lathe::examples
