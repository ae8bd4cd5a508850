// The parameters of a schedule's function, and the buffers of its tensors. Internal to schedule/.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace lathe::schedule {

// The stage of an argument's operation. Null for a placeholder that no stage reads: callers may
// pass it all the same, as when functions of one family take the same arguments. Throws as Require
// does for any other operation without a stage.
const Stage* StageOfArgument(const ScheduleNode& schedule, const Op& op);

struct Arguments {
  std::vector<NodeRef> params;  // buffers and variables, in calling order
  TensorBuffers buffers;
};

// The buffer of a tensor in `binds` is laid out as the one that is given there; that of any other
// tensor is compact. `normal` is a normalized schedule. Throws as LowerSchedule says.
Arguments MakeArguments(const Schedule& normal, const std::vector<NodeRef>& args,
                        const TensorBuffers& binds);

}  // namespace lathe::schedule
