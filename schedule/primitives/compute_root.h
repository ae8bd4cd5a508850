// compute_root: a stage is computed as a whole before its readers.
//
// Undoes compute_at and compute_inline. For a stage that is part of a scan, the root is the scan's
// time loop; for a stage in a group, it is the place of the group.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeRoot(Stage& stage);

}  // namespace lathe::schedule
