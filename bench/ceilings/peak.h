// Multiply-adds at the highest possible rate, one function for each vector width.
#pragma once

#include <cstdint>

namespace lathe::bench {

// Each function executes `rounds` rounds of PeakOperations floating-point operations in registers
// and returns a number that depends on all of them. The processor must support the function's level
// of x86-64.
inline constexpr int64_t kPeakChains = 12;
double Peak_v2(int64_t rounds);
double Peak_v3(int64_t rounds);
double Peak_v4(int64_t rounds);
// Operations of one round: vectors x lanes x (a multiplication and an addition).
inline constexpr int64_t PeakOperations(int lanes) { return kPeakChains * lanes * 2; }

// The sum of `words` words, which must be a multiple of 64. `data` is aligned to 64 bytes.
uint64_t ReadAll_v2(const uint64_t* data, int64_t words);
uint64_t ReadAll_v3(const uint64_t* data, int64_t words);
uint64_t ReadAll_v4(const uint64_t* data, int64_t words);

}  // namespace lathe::bench
