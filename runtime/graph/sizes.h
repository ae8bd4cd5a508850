// Values of a plan's sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "runtime/graph/plan.h"

namespace lathe::runtime::graph {

// Applies an operation of two operands (not kConstant, not kExtent). Empty if the result does not
// fit 64 bits, or a divisor is not positive.
std::optional<int64_t> ApplySize(PlanSize::Kind kind, int64_t a, int64_t b);

// What is known of each size without inputs; empty if an input decides. The plan's sizes must refer
// to earlier ones only. Sizes that cannot be computed are empty, too.
std::vector<std::optional<int64_t>> KnownSizes(const Plan& plan);

// For each size: 1 if it is known only while running.
std::vector<uint8_t> RunSizes(const Plan& plan);

// All sizes for inputs of these shapes, which have the ranks that the plan states; 0 for those that
// are known only while running. Fails with `graph-size-overflow`.
absl::Status ComputeSizes(const Plan& plan, std::span<const std::span<const int64_t>> shapes,
                          std::vector<int64_t>* out);
// One size of two operands from the values of these. Fails with `graph-size-overflow`.
absl::Status ComputeSize(const Plan& plan, size_t number, std::vector<int64_t>* values);

// A type that elements in memory have: of fixed size, not void.
bool IsElementType(DataType dtype);

// The bytes of a compact tensor; empty if they do not fit 63 bits, or an extent is negative.
std::optional<uint64_t> BytesOf(DataType dtype, std::span<const int64_t> extents);

}  // namespace lathe::runtime::graph
