// cache_read: some readers of a tensor read a copy of it in another memory scope.
//
//   C[i] = A[i] ...     -->     A.shared[i] = A[i]
//                               C[i] = A.shared[i] ...
//
// Precondition: every reader reads `tensor`. The copy starts at the root, or at the time loop of
// the scan whose state `tensor` depends on (a copy of a state is taken at every step); attach it
// with compute_at. It joins the group that all its readers are in. A scan does not read its own
// parts and states through copies. Errors: schedule-cache-no-reader.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// The copy. `readers` empty: all that read the tensor now.
Tensor CacheRead(Schedule& schedule, const Tensor& tensor, std::string scope,
                 const std::vector<Op>& readers);
// A copy of each tensor, for those of `readers` that read it (empty: all that do): one step of the
// trace per tensor. Errors: schedule-cache-no-reader, where a tensor has no reader among them.
std::vector<Tensor> CacheRead(Schedule& schedule, const std::vector<Tensor>& tensors,
                              const std::string& scope, const std::vector<Op>& readers);

}  // namespace lathe::schedule
