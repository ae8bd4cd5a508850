// What the values of graphs read.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace lathe::graph {

// Calls `visit` for every variable that `value` reads, once per use: arguments, and in nested
// blocks their arguments and results. Variables that are defined within are included.
void ForEachUse(const ir::Node& value,
                const std::function<void(const ir::GraphVarNode& var)>& visit);

}  // namespace lathe::graph
