// create_group: stages that are attached together.
//
//   for i: A1[i] = X[i] + 1               for i:
//   for i: A2[i] = A1[i] * 2      -->       A1[i] = X[i] + 1      the group of A1 and A2,
//   for i: C[i] = A2[i] ...                 A2[i] = A1[i] * 2     computed at loop i of C
//                                           C[i] = A2[i] ...
//
// The group has the stages on the paths from `inputs` to `outputs` (without inputs: all stages that
// the outputs need), the outputs themselves, and the inputs if `include_inputs` is set; it has no
// placeholders. Its stages at the root are computed at the place of the group. The others stay
// within the group: compute_at of one of them must name a stage of the same group (S9). Groups may
// nest; they do not overlap. A stage that a primitive makes from a stage of a group joins the
// group.
//
// Precondition: every attached stage of the group is attached within the group. Errors:
// schedule-group-empty, schedule-group-overlap, schedule-group-attach; of compute_at
// schedule-attach-output (a group with an output stays at the root), schedule-attach-self,
// schedule-foreign-axis, schedule-not-a-leaf, schedule-group-attach; when lowering
// schedule-illegal-attach.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

Group& CreateGroup(Schedule& schedule, const std::vector<Tensor>& outputs,
                   const std::vector<Tensor>& inputs, bool include_inputs = false);

// The stages of a group, including those of groups inside it, in topological order.
std::vector<Stage*> StagesOf(const Group& group);

void ComputeAt(Group& group, Stage& parent, const IterVar& axis);
// Moves the group to the root, or to the place of the group around it.
void ComputeRoot(Group& group);

}  // namespace lathe::schedule
