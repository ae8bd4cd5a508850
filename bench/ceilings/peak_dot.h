// Dot products of narrow types at full tilt, in registers.
#pragma once

#include <cstdint>

namespace lathe::bench {

// The best instruction of this processor for a type, or none (null): a function that does so many
// rounds, and the operations (multiplications and additions) of one.
struct DotPeak {
  void (*run)(int64_t rounds) = nullptr;
  int64_t operations = 0;
  const char* instruction = "none";
};
// uint8 times int8 to int32: AMX, AVX-512 VNNI, AVX-VNNI.
DotPeak BestInt8Peak();
// bfloat16 to float32: AMX, AVX-512 BF16.
DotPeak BestBfloat16Peak();

}  // namespace lathe::bench
