// The arguments of kernels on other devices than the host: functions with checks, which take
// tensors. Internal to the executor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "runtime/graph/resolved.h"

namespace lathe::runtime::graph {

// Not thread-safe; belongs to one binding. Borrows the plan. Nothing is allocated after
// construction.
class Launches {
 public:
  explicit Launches(const ResolvedPlan& plan);

  // Writes the arguments of a step's function: `sizes` of the plan decide the tensors' shapes,
  // `values` are the step's own sizes, `addresses` has the memory of each root.
  void Fill(size_t step, std::span<const int64_t> sizes, std::span<const int64_t> values,
            std::span<void* const> addresses);
  // Calls it with what Fill wrote last. Fails with the function's error.
  absl::Status Run(size_t step);

 private:
  // Where the parts of a step begin; `values` is -1 for steps that launch nothing.
  struct Place {
    int64_t values = -1;
    size_t tensors = 0, extents = 0;
  };

  const ResolvedPlan& plan_;
  std::vector<Place> places_;  // of each step
  std::vector<lathe_value> values_;
  std::vector<DLTensor> tensors_;
  std::vector<int64_t> extents_;
};

}  // namespace lathe::runtime::graph
