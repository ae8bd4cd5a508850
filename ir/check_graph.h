// The part of CheckNode for graphs: how the fields of one node must fit together.
#pragma once

#include <string>

#include "ir/graph.h"

namespace lathe::ir {

// Says what does not fit in `node`; empty if all fits, and for other nodes than those of graphs.
// The node must be complete (ir/complete.h).
std::string CheckGraphNode(const Node& node);

}  // namespace lathe::ir
