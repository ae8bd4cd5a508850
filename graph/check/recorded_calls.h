// What each group of a fused graph computes on given inputs. Internal to bisect.h.
#pragma once

#include <vector>

#include "graph/check/values.h"

namespace lathe::graph {

// The first call of a group.
struct RecordedCall {
  Ref<const ir::GraphFunc> group;
  Tensors args, results;
};

// Interprets a fused function and records the calls of its groups, in their order. Calls in blocks
// that do not run are not there.
std::vector<RecordedCall> RecordCalls(const GraphFuncRef& fused, const ir::GraphModule& module,
                                      const Values& inputs);

}  // namespace lathe::graph
