// The planted bugs of passes over graphs, plans and their executor (base/planted_graph_bugs.def).
// Checks that random graphs find each.
#pragma once

#include <ostream>
#include <string>

#include "tests/prove/graphs/prove_graphs.h"

namespace lathe::prove::graphs {

// Switches on one bug after the other (only `bug` if that is not empty), each in a process of its
// own, and checks up to options.graphs graphs of options.seed until one fails, crashes or takes
// longer than a minute that does not without the bug. Prints a table. Returns false if a bug is not
// found, or if this build has no planted bugs. The process must have one thread.
bool FindPlantedInGraphs(const ProveGraphsOptions& options, const std::string& bug,
                         std::ostream& out);

}  // namespace lathe::prove::graphs
