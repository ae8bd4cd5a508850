// storage_align: puts the rows of a stage's memory a chosen distance apart.
//
//   realize B[16, 32]      --storage_align(i, 32, 1)-->     realize B[16, 32] with strides [33, 1]
//
// The stride of the dimension of `axis` is rounded up to `offset` modulo `factor` elements, so that
// rows are in different banks or start at multiples of a vector. The strides of outer dimensions
// grow with it; the result stays the same.
//
// Precondition: `axis` is a data axis of a compute, and the memory is not the caller's (checked
// again when lowering: a stage may become an output's cache). Errors:
// schedule-storage-align-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void StorageAlign(Stage& stage, const IterVar& axis, int64_t factor, int64_t offset);

}  // namespace lathe::schedule
