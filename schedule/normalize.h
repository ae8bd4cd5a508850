// From what the user built up to what lowering reads: inlined stages substituted away, attachments
// resolved and checked.
#pragma once

#include <unordered_map>
#include <utility>
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

// Which stages read what, looked up at once. Of a schedule as it is now: changes are not seen.
class Readers {
 public:
  explicit Readers(const ScheduleNode& schedule);
  // Those that read output `index` of `op` (any output where index < 0), in the schedule's order.
  std::vector<Stage*> Of(const Op& op, int64_t index = -1) const;

 private:
  std::unordered_map<const ir::Node*, std::vector<std::pair<Stage*, int64_t>>> readers_;
};
// For a single question.
std::vector<Stage*> ReadersOf(const ScheduleNode& schedule, const Op& op, int64_t index = -1);

// A scan whose states are buffers that init, update and state share; null where `op` is no part of
// one.
const ir::ScanOp* ScanOfPart(const Stage& stage);

}  // namespace lathe::schedule
