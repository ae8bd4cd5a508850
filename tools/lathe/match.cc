#include "tools/lathe/match.h"

#include <algorithm>
#include <cmath>

#include "runtime/status.h"
#include "tools/lathe/numbers.h"

namespace lathe::cli {
namespace {

using runtime::Tensor;

constexpr size_t kSample = 64;

// Evenly spread over the tensor; the same places in tensors of the same number of elements.
std::vector<double> SampleOf(const std::vector<double>& numbers) {
  if (numbers.size() <= kSample) return numbers;
  std::vector<double> sample;
  for (size_t i = 0; i < kSample; ++i) sample.push_back(numbers[i * numbers.size() / kSample]);
  return sample;
}

std::vector<int64_t> ExtentsWithoutOnes(const Tensor& tensor) {
  std::vector<int64_t> extents(tensor.shape().begin(), tensor.shape().end());
  std::erase(extents, 1);
  return extents;
}

// Whether elements differ by more than two that agree with the same number may.
bool Varies(const std::vector<double>& numbers, const Tolerance& tolerance) {
  double low = INFINITY, high = -INFINITY;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  return high - low > 2 * tolerance.Of(std::max(std::fabs(low), std::fabs(high)));
}

double LargestOf(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::fabs(number));
  }
  return largest;
}

}  // namespace

absl::StatusOr<ValueMatcher> ValueMatcher::Create(std::vector<Tensor> ours,
                                                  const Tolerance& tolerance) {
  ValueMatcher out;
  out.tolerance_ = tolerance;
  out.counterparts_.resize(ours.size());
  for (Tensor& tensor : ours) {
    LATHE_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(tensor));
    std::vector<int64_t> extents = ExtentsWithoutOnes(tensor);
    out.ours_.push_back({std::move(tensor), std::move(extents), SampleOf(numbers)});
  }
  return out;
}

absl::Status ValueMatcher::Offer(size_t index, const Tensor& theirs) {
  const std::vector<int64_t> extents = ExtentsWithoutOnes(theirs);
  LATHE_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(theirs));
  const std::vector<double> sample = SampleOf(numbers);
  const double most = tolerance_.Of(LargestOf(numbers));
  const bool varies = Varies(numbers, tolerance_);
  for (size_t i = 0; i < ours_.size(); ++i) {
    const Ours& value = ours_[i];
    // What the whole tensor allows: the sample's own largest number may be smaller.
    if (value.extents != extents ||
        !DifferenceOf(value.sample, sample, {.rtol = 0, .atol = most}).agrees)
      continue;
    LATHE_ASSIGN_OR_RETURN(const std::vector<double> whole, NumbersOf(value.tensor));
    const Difference difference = DifferenceOf(whole, numbers, tolerance_);
    std::optional<Counterpart>& best = counterparts_[i];
    if (difference.agrees && (!best || difference.most < best->difference.most))
      best = Counterpart{index, difference, varies};
  }
  return absl::OkStatus();
}

std::optional<size_t> FirstDifferent(const std::vector<std::vector<size_t>>& from,
                                     const std::vector<std::optional<Counterpart>>& counterparts) {
  // Whether the value, or one computed from it, has a counterpart that says something.
  std::vector<bool> right(from.size());
  for (size_t i = from.size(); i-- > 0;) {
    right[i] = right[i] || (counterparts[i] && counterparts[i]->varies);
    if (!right[i]) continue;
    for (const size_t before : from[i]) right[before] = true;
  }
  for (size_t i = 0; i < from.size(); ++i) {
    if (!right[i] && !counterparts[i]) return i;
  }
  return {};
}

}  // namespace lathe::cli
