// The parameters of a schedule's function, and the buffers of its tensors. Internal to schedule/.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace lathe::schedule {

struct Arguments {
  std::vector<NodeRef> params;  // buffers and variables, in calling order
  TensorBuffers buffers;
};

// The buffer of a tensor in `binds` is laid out as the one that is given there; that of any other
// tensor is compact. `normal` is a normalized schedule. Throws as LowerSchedule says.
Arguments MakeArguments(const Schedule& normal, const std::vector<NodeRef>& args,
                        const TensorBuffers& binds);

}  // namespace lathe::schedule
