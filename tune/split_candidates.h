// The ways in which a loop can be split: candidates of a knob.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::tune {

enum class SplitPolicy {
  kFactors,  // divisors of the length
  kPower2,   // powers of two
  kVerbose   // both
};

struct SplitOptions {
  SplitPolicy policy = SplitPolicy::kFactors;
  int parts = 2;  // loops that come of it, the outermost included
  int64_t max_factor = std::numeric_limits<int64_t>::max();  // of each inner loop
  // The product of the inner loops divides the length: no loop needs a guard.
  bool no_tail = true;
};

// The most candidates of a split.
inline constexpr size_t kMostSplits = size_t{1} << 20;

// The lengths of the inner loops, from the outer ones to the innermost; the outermost has what is
// left. In ascending order: the first splits nothing, all its lengths are 1. The product of the
// lengths is at most `length`. Fails with `tune-split` (a length or number of parts that is not
// positive, or more than kMostSplits candidates).
absl::StatusOr<std::vector<std::vector<int64_t>>> SplitCandidates(int64_t length,
                                                                  const SplitOptions& options);

}  // namespace lathe::tune
