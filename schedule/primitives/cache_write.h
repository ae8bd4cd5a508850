// cache_write: a stage computes into another memory scope and is then copied to its tensor.
//
//   C[i] = sum(...)     -->     C.local[i.c] = sum(...)
//                               C[i] = C.local[i]
//
// Precondition: the stage is a compute that has not been scheduled yet, and no other stage is
// computed at its reduction. The reduction moves to the cache stage together with its axes; the
// handles of the tensor's data axes stay with the copy. Errors: schedule-cache-write-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// Returns the cache's outputs, one per output of the operation.
std::vector<Tensor> CacheWrite(Schedule& schedule, const Tensor& tensor, std::string scope);
// The same for several tensors: the cache of each, in order; outputs of one operation share a
// stage. One step of the trace per operation.
std::vector<Tensor> CacheWrite(Schedule& schedule, const std::vector<Tensor>& tensors,
                               const std::string& scope);

}  // namespace lathe::schedule
