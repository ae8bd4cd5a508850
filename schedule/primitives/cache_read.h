// cache_read: some readers of a tensor read a copy of it in another memory scope.
//
//   C[i] = A[i] ...     -->     A.shared[i] = A[i]
//                               C[i] = A.shared[i] ...
//
// Precondition: every reader reads `tensor`. The copy starts at the root; attach it with
// compute_at. Errors: schedule-cache-no-reader.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// The copy. `readers` empty: all that read the tensor now.
Tensor CacheRead(Schedule& schedule, const Tensor& tensor, std::string scope,
                 const std::vector<Op>& readers);

}  // namespace lathe::schedule
