// Stages that are computed within a loop of a reader and are kept whole: outputs, and stages that
// something reads later, outside of that loop. Their memory is that of the whole tensor, and all
// iterations together must fill it. Internal to schedule/.
#pragma once

#include "schedule/bounds.h"
#include "schedule/normalize.h"

namespace lathe::schedule {

// Sets Stage::kept_whole. Throws "schedule-attach-kept" if the stage has an attribute that only the
// memory of one iteration can have, or if threads of a device are around it; and
// "schedule-attach-uncovered" if it is not proved that what its readers need within the loop is the
// whole tensor.
void MarkKeptWhole(const ScheduleNode& normal, const Readers& readers);

// Throws "schedule-attach-overlap" if it is not proved that the iterations of a parallel or
// vectorized loop around a stage that is kept whole compute different elements of it.
void CheckKeptApart(const ScheduleNode& normal, const Bounds& bounds);

}  // namespace lathe::schedule
