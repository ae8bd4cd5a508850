// create_group: stages that are attached together.
//
//   for i: A1[i] = X[i] + 1               for i:
//   for i: A2[i] = A1[i] * 2      -->       A1[i] = X[i] + 1      the group of A1 and A2,
//   for i: C[i] = A2[i] ...                 A2[i] = A1[i] * 2     computed at loop i of C
//                                           C[i] = A2[i] ...
//
// The group holds the stages on the ways from `inputs` to `outputs` (all that the outputs need
// where there are no inputs), the outputs themselves, and the inputs where `include_inputs` says
// so; no placeholders. Its stages that are at the root are computed where the group is; the others
// stay within it: compute_at of one of them names a stage of the same group (S9). Groups nest; they
// do not overlap. What primitives make from a stage of a group joins it.
//
// Precondition: every stage of the group that is attached is attached within it.
// Errors: schedule-group-empty, schedule-group-overlap, schedule-group-attach; of compute_at
// schedule-attach-output (a group that holds an output stays at the root), schedule-attach-self,
// schedule-foreign-axis, schedule-not-a-leaf, schedule-group-attach; when lowering
// schedule-illegal-attach.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

Group& CreateGroup(Schedule& schedule, const std::vector<Tensor>& outputs,
                   const std::vector<Tensor>& inputs, bool include_inputs = false);

// The stages of a group, those of groups within it included, in topological order.
std::vector<Stage*> StagesOf(const Group& group);

void ComputeAt(Group& group, Stage& parent, const IterVar& axis);
// To the root, or where the group around it is.
void ComputeRoot(Group& group);

}  // namespace lathe::schedule
