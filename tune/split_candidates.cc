#include "tune/split_candidates.h"

#include <algorithm>
#include <string>

#include "runtime/status.h"

namespace lathe::tune {
namespace {

absl::Status Refused(std::string found, const char* help) {
  return runtime::MakeStatus(
      absl::StatusCode::kInvalidArgument, "tune-split",
      {"a loop cannot be split so\nexpected: a length of at least 1, 1 to 16 "
       "parts, and at most 1048576 candidates\nfound: ",
       found, "\nhelp: ", help});
}

// What one inner loop may have, ascending.
std::vector<int64_t> FactorsOf(int64_t length, const SplitOptions& options) {
  std::vector<int64_t> factors;
  if (options.policy != SplitPolicy::kPower2) {
    for (int64_t low = 1; low <= length / low; ++low) {
      if (length % low != 0) continue;
      factors.push_back(low);
      factors.push_back(length / low);
    }
  }
  if (options.policy != SplitPolicy::kFactors) {
    for (int64_t power = 1; power <= length; power *= 2) {
      factors.push_back(power);
      if (power > length / 2) break;
    }
  }
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  while (!factors.empty() && factors.back() > options.max_factor) factors.pop_back();
  return factors;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<int64_t>>> SplitCandidates(int64_t length,
                                                                  const SplitOptions& options) {
  if (length < 1 || options.parts < 1 || options.parts > 16)
    return Refused(std::to_string(length) + " into " + std::to_string(options.parts),
                   "split a loop whose length is known");
  // Finding the divisors takes time with the square root of the length.
  if (length > int64_t{1} << 40)
    return Refused("a length of " + std::to_string(length), "split it into two loops first");
  const std::vector<int64_t> factors = FactorsOf(length, options);
  // One part after the other: what was chosen so far, with its product.
  std::vector<std::vector<int64_t>> found = {{}};
  for (int part = 1; part < options.parts; ++part) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& chosen : found) {
      int64_t product = 1;
      for (const int64_t one : chosen) product *= one;
      for (const int64_t factor : factors) {
        if (factor > length / product) break;
        if (options.no_tail && length % (product * factor) != 0) continue;
        if (longer.size() == kMostSplits)
          return Refused("more candidates for " + std::to_string(length) + " in " +
                             std::to_string(options.parts) + " parts",
                         "give max_factor, or fewer parts");
        longer.push_back(chosen);
        longer.back().push_back(factor);
      }
    }
    found = std::move(longer);
  }
  return found;
}

}  // namespace lathe::tune
