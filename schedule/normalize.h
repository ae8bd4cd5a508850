// From what the user built up to what lowering reads: inlined stages substituted away, attachments
// resolved and checked.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// A copy of `schedule` without inlined stages, in which every attach_axis is a leaf. Throws
// "schedule-illegal-attach" where a stage is attached to something that does not lie around all its
// readers, and "schedule-attach-cycle".
Schedule Normalize(const Schedule& schedule);

// The loops around a stage, innermost first: those of its attach stage from the attach axis
// outward, then that stage's own.
struct LoopRef {
  const Stage* stage;
  IterVar leaf;
};
std::vector<LoopRef> AttachPath(const Stage& stage);

// Stages that read output `index` of `op` (any output where index < 0).
std::vector<Stage*> ReadersOf(const ScheduleNode& schedule, const Op& op, int64_t index = -1);

// A scan whose states are buffers that init, update and state share; null where `op` is no part of
// one.
const ir::ScanOp* ScanOfPart(const Stage& stage);

}  // namespace lathe::schedule
