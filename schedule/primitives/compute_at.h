// compute_at: a stage is computed within a loop of a stage that reads it.
//
//   for i: B[i] = ...                     for i:
//   for i: C[i] = B[i] ...      -->         B[i] = ...        only what this iteration of C needs
//                                           C[i] = B[i] ...
//
// Precondition: `parent` and `axis` belong to the same schedule. `axis` may be split or fused
// later: the attachment moves to the inner or fused axis (S8). These conditions are checked when
// lowering, because programs make attachments in any order: every reader is within that loop or
// comes after its nest, and there is no cycle. A stage of a group stays within the group (S9); the
// init and update of a scan stay at its time loop (S49).
//
// An output, or a stage that something reads later, is kept whole: its memory is that of the whole
// tensor. Readers within the loop must need all of it, by indices that are sums of axes; parallel
// and vectorized iterations must need different parts; threads of a device, rolling buffers and
// pipelines are refused.
//
// Errors: schedule-attach-input, schedule-attach-output (nothing reads it), schedule-attach-self,
// schedule-attach-scan-part, schedule-foreign-axis, schedule-not-a-leaf, schedule-group-attach;
// when lowering schedule-illegal-attach, schedule-attach-cycle, and of what is kept whole
// schedule-attach-uncovered, schedule-attach-overlap, schedule-attach-kept.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeAt(Stage& stage, Stage& parent, const IterVar& axis);

}  // namespace lathe::schedule
