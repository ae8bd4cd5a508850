// compute_root: a stage is computed as a whole before whatever reads it.
//
// Undoes compute_at and compute_inline. The root of a stage that is part of a scan is the scan's
// time loop; that of a stage in a group is where the group is computed.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeRoot(Stage& stage);

}  // namespace lathe::schedule
