// storage_align: the rows of a stage's memory lie a chosen distance apart.
//
//   realize B[16, 32]      --storage_align(i, 32, 1)-->     realize B[16, 32] with strides [33, 1]
//
// The stride of the dimension that `axis` runs over is rounded up to `offset` modulo `factor`
// elements: so that rows fall into different banks, or start at multiples of a vector. Dimensions
// further out grow with it; what is computed stays the same.
//
// Precondition: `axis` is a data axis of a compute, whose memory is not the caller's (checked when
// lowering too: a stage may become an output's cache). Errors: schedule-storage-align-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void StorageAlign(Stage& stage, const IterVar& axis, int64_t factor, int64_t offset);

}  // namespace lathe::schedule
