// A schedule as loops.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// Buffers of the function's tensor arguments, in the layout their stages have; other tensors are
// realised where they are computed.
using TensorBuffers = std::vector<std::pair<Tensor, ir::Buffer>>;

// The loop nest of a normalized schedule: Realize, For, If (guards, marked likely), Store. Tensors
// are gone.
ir::Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds,
                      const TensorBuffers& arguments);

// Normalize, InferBounds and MakeLoopNest with a compact buffer per tensor argument.
// `args` are tensors and scalar variables in calling order. Throws "schedule-arguments" where an
// input or output of the schedule is missing or one is named twice.
ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args,
                       std::string name);

}  // namespace lathe::schedule
