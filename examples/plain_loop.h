// The code without a tensor compiler: a plain C++ loop, built by clang -O3 for three levels of
// x86-64.
#pragma once

#include <cstdint>

namespace lathe::examples {

// Interleaved RGB to planes Y, U, V of float32: the same arithmetic as the tensor program of
// quickstart.cc.
using RgbToYuvLoop = void (*)(const float* rgb, float* y, float* u, float* v, int64_t pixels);

#define LATHE_LEVELS(X) X(v2) X(v3) X(v4)
#define LATHE_DECLARE(level) \
  void RgbToYuv_##level(const float* rgb, float* y, float* u, float* v, int64_t pixels);
LATHE_LEVELS(LATHE_DECLARE)
#undef LATHE_DECLARE

// The loop for this processor, and its name ("x86-64-v4").
struct PlainLoop {
  RgbToYuvLoop run;
  const char* name;
};
PlainLoop ChoosePlainLoop();

}  // namespace lathe::examples
