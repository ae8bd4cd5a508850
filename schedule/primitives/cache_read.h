// cache_read: some readers of a tensor read a copy of it in another memory scope.
//
//   C[i] = A[i] ...     -->     A.shared[i] = A[i]
//                               C[i] = A.shared[i] ...
//
// Precondition: every reader reads `tensor`. The copy starts at the root, or at the time loop of
// the scan whose state `tensor` depends on (a state is copied at every step); attach it with
// compute_at. If all readers are in one group, the copy joins that group. A scan does not read its
// own parts and states through copies. Errors: schedule-cache-no-reader.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// Returns the copy. Empty `readers`: all present readers of the tensor.
Tensor CacheRead(Schedule& schedule, const Tensor& tensor, std::string scope,
                 const std::vector<Op>& readers);
// Makes a copy of each tensor for those of `readers` that read it (empty: all its readers); one
// step of the trace per tensor. Errors: schedule-cache-no-reader, if none of them reads a tensor.
std::vector<Tensor> CacheRead(Schedule& schedule, const std::vector<Tensor>& tensors,
                              const std::string& scope, const std::vector<Op>& readers);

}  // namespace lathe::schedule
