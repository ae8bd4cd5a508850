// Built once for each level, with LATHE_LEVEL, LATHE_LANES and -march=x86-64-<level>.
#include "bench/ceilings/peak.h"

#define LATHE_JOIN_(a, b) a##b
#define LATHE_JOIN(a, b) LATHE_JOIN_(a, b)

namespace lathe::bench {

double LATHE_JOIN(Peak_, LATHE_LEVEL)(int64_t rounds) {
  typedef float Vector __attribute__((vector_size(4 * LATHE_LANES)));
  // Enough chains to hide the latency of a multiply-add; they stay in registers.
  Vector sums[kPeakChains];
  for (int64_t c = 0; c < kPeakChains; ++c) sums[c] = Vector{} + static_cast<float>(c);
  Vector factor = Vector{} + 0.999f, term = Vector{} + 0.001f;
  for (int64_t r = 0; r < rounds; ++r) {
#pragma clang loop unroll(full)
    for (int64_t c = 0; c < kPeakChains; ++c) sums[c] = sums[c] * factor + term;
    // The compiler must not know that the factors never change.
    asm volatile("" : "+v"(factor), "+v"(term));
  }
  double total = 0;
  for (const Vector& sum : sums) {
    for (int lane = 0; lane < LATHE_LANES; ++lane) total += static_cast<double>(sum[lane]);
  }
  return total;
}

uint64_t LATHE_JOIN(ReadAll_, LATHE_LEVEL)(const uint64_t* data, int64_t words) {
  typedef uint64_t Vector __attribute__((vector_size(4 * LATHE_LANES)));
  constexpr int64_t kWords = LATHE_LANES / 2, kChains = 8;
  Vector sums[kChains] = {};
  for (int64_t i = 0; i + kChains * kWords <= words; i += kChains * kWords) {
    const Vector* vectors = reinterpret_cast<const Vector*>(data + i);
#pragma clang loop unroll(full)
    for (int64_t c = 0; c < kChains; ++c) sums[c] += vectors[c];
  }
  uint64_t total = 0;
  for (const Vector& sum : sums) {
    for (int64_t word = 0; word < kWords; ++word) total += sum[word];
  }
  return total;
}

}  // namespace lathe::bench
