// Dot products of narrow types in registers, at the highest possible rate.
#pragma once

#include <cstdint>

namespace lathe::bench {

// The best instruction of this processor for a type: a function that executes it for `rounds`
// rounds, and the number of operations (multiplications and additions) of one round. Null if there
// is none.
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
