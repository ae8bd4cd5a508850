// Makes the user's schedule ready for lowering: substitutes inlined stages, resolves and checks
// attachments.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// A copy of `schedule` without inlined stages, in which every attach_axis is a leaf. Throws
// "schedule-illegal-attach" if a stage is attached to a loop that is not around its readers (those
// of later stages may be outside), "schedule-attach-cycle", and what MarkKeptWhole throws
// (kept_whole.h).
Schedule Normalize(const Schedule& schedule);

// The loops around a stage, innermost first: those of its attach stage from the attach axis
// outward, then the loops around that stage.
struct LoopRef {
  const Stage* stage;
  IterVar leaf;
};
std::vector<LoopRef> AttachPath(const Stage& stage);

// The stage at the root in whose loops the stage is computed, or itself.
const Stage& RootOf(const Stage& stage);
// Is `reader` computed within the loop at which `stage` is attached?
bool IsWithinLoopOf(const Stage& stage, const Stage& reader);

// The readers of all stages, looked up once. Later changes of the schedule are not seen.
class Readers {
 public:
  explicit Readers(const ScheduleNode& schedule);
  // The stages that read output `index` of `op` (any output if index < 0), in the schedule's order.
  std::vector<Stage*> Of(const Op& op, int64_t index = -1) const;

 private:
  std::unordered_map<const ir::Node*, std::vector<std::pair<Stage*, int64_t>>> readers_;
};
// The same, for a single question.
std::vector<Stage*> ReadersOf(const ScheduleNode& schedule, const Op& op, int64_t index = -1);

// The scan of which `stage` is a part, if its states are buffers that init, update and state share;
// otherwise null.
const ir::ScanOp* ScanOfPart(const Stage& stage);

}  // namespace lathe::schedule
