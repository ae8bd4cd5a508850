// Finds which values of two models are the same, where their names do not say it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/tensor.h"
#include "tools/lathe/difference.h"

namespace lathe::cli {

struct Counterpart {
  size_t index = 0;  // of the peer's value
  Difference difference;
  // False if all elements are the same: many values are all zeros, and that two are says nothing.
  bool varies = false;
};

// Holds our values, and gets the peer's one by one, so that only one of them is in memory.
class ValueMatcher {
 public:
  // Fails as NumbersOf does.
  static absl::StatusOr<ValueMatcher> Create(std::vector<runtime::Tensor> ours,
                                             const Tolerance& tolerance);
  // A value of the peer: the counterpart of those of ours that have its shape, up to extents of 1,
  // and agree with it, unless they have one that is nearer. Fails as NumbersOf does.
  absl::Status Offer(size_t index, const runtime::Tensor& theirs);
  // One for each of our values.
  std::vector<std::optional<Counterpart>>& counterparts() { return counterparts_; }

 private:
  struct Ours {
    runtime::Tensor tensor;
    std::vector<int64_t> extents;  // without those of 1
    std::vector<double> sample;    // some elements, to see quickly that most tensors differ
  };
  std::vector<Ours> ours_;
  Tolerance tolerance_;
  std::vector<std::optional<Counterpart>> counterparts_;
};

// The first value without a counterpart such that nothing that is computed from it has one (that
// varies); nothing if there is no such value. A value that the peer does not have is no difference
// by itself: it may have an operator for several of ours. `from[i]`: which values before the i-th
// one it is computed from.
std::optional<size_t> FirstDifferent(const std::vector<std::vector<size_t>>& from,
                                     const std::vector<std::optional<Counterpart>>& counterparts);

}  // namespace lathe::cli
