// Arguments of candidates whose schedules give layouts to inputs (transform_layout).
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "tune/runner.h"

namespace lathe::tune {

// Puts arguments in the layouts of one candidate after another, and keeps what it made: candidates
// share layouts. Thread-safe.
class ArgumentLayouts {
 public:
  // `arguments`, row-major, must outlive it.
  explicit ArgumentLayouts(std::span<const RunArgument> arguments) : arguments_(arguments) {}

  // The arguments for a call of the candidate. Outputs must be row-major. Fails with
  // `tune-arguments` for an output in a layout, and as driver::InLayoutOf does.
  absl::StatusOr<std::vector<RunArgument>> For(const driver::ProgramToCompile& candidate);

 private:
  const std::span<const RunArgument> arguments_;
  std::mutex mutex_;
  std::map<std::pair<size_t, std::string>, runtime::Tensor> made_;  // by argument and map
};

}  // namespace lathe::tune
