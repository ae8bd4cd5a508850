// Finds the data of a plan's constants. Internal to the executor.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/resolved.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {

// `tensor` as the data of a constant: itself, or a compact copy on the
// constant's device. Fails with
// `graph-constant-mismatch`.
absl::StatusOr<Tensor> AsConstant(const ResolvedPlan& resolved, int index, const Tensor& tensor);

// Of each constant, the data that Executable::Create finds; null if there are none.
absl::StatusOr<std::vector<Tensor>> FindConstants(const ResolvedPlan& resolved,
                                                  const ConstantSource& source);

}  // namespace lathe::runtime::graph
