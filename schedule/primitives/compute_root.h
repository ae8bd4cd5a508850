// compute_root: a stage is computed as a whole before whatever reads it. Undoes compute_at and
// compute_inline.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeRoot(Stage& stage);

}  // namespace lathe::schedule
