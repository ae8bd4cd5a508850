// Values of arguments in the layouts that a schedule gives to them (transform_layout).
#pragma once

#include "absl/status/statusor.h"
#include "runtime/tensor.h"
#include "schedule/schedule.h"

namespace lathe::driver {

// A copy of `values`, a compact tensor of the host with the shape and type of `argument`, in the
// layout that the schedule gives to it; the same tensor if it gives none. What belongs to no
// element (the rest of the last tile) is 0. Compiles the copy for this machine. Fails with
// `relayout-values` if the values do not fit, or the argument's shape is not constant.
absl::StatusOr<runtime::Tensor> InLayoutOf(const schedule::Schedule& schedule,
                                           const ir::Tensor& argument,
                                           const runtime::Tensor& values);

}  // namespace lathe::driver
