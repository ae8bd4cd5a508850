// How much two results differ.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

// Two numbers agree if they differ by no more than `atol` + `rtol` of the largest of their tensor.
struct Tolerance {
  double rtol = 1e-3, atol = 1e-5;
  double Of(double largest) const { return atol + rtol * largest; }
};

struct Difference {
  double most = 0;     // the largest absolute difference; infinite if one of the two is no number
  double largest = 0;  // the largest absolute value of the peer
  bool same_shape = true;
  bool agrees = true;
};

// Of as many numbers each.
Difference DifferenceOf(const std::vector<double>& ours, const std::vector<double>& theirs,
                        const Tolerance& tolerance);
// Other shapes differ. Fails as NumbersOf does.
absl::StatusOr<Difference> DifferenceOf(const runtime::Tensor& ours, const runtime::Tensor& theirs,
                                        const Tolerance& tolerance);

}  // namespace lathe::cli
