// Parts of CheckPlan. Internal to it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "runtime/graph/plan.h"

namespace lathe::runtime::graph {

// "the plan is not sound: step 3: what"
absl::Status Malformed(std::string_view entry, size_t number, std::string_view what);

inline bool IsBelow(int32_t number, size_t count) {
  return number >= 0 && static_cast<size_t>(number) < count;
}

// The steps and outputs of a plan whose other tables are sound: `roots` has the tensor whose memory
// each tensor has, `bytes` the bytes of the parts and of the tensors that have parts.
absl::Status CheckSteps(const Plan& plan, std::span<const int32_t> roots,
                        std::span<const uint64_t> bytes);

}  // namespace lathe::runtime::graph
