// Finds the step of compiling a graph that changed its results.
//
// All steps compute with the same inputs. First the graph is interpreted as it is, then after each
// pass and after fusion. If all agree, each kernel is searched with the tensors that it really
// gets: its schedule, each lowering pass, and its code (driver/bisect). At last the plan runs as a
// whole. The culprit is the first step that gives other results or fails. Thread-safe.
#pragma once

#include <string>

#include "driver/bisect/bisect.h"
#include "graph/build.h"
#include "graph/check/values.h"

namespace lathe::graph {

// The stages are "definition", the passes' names, "fuse", "KERNEL: LOWERING PASS", "KERNEL: code",
// and "plan". `before` and `after` of the report are the lines that a pass changed. `module` is
// typed; the target must be this machine's. `expected` of the report stays empty. Throws what
// interpreting the graph throws: then the graph is wrong, not a pass. Fails as CompileGraph does.
absl::StatusOr<driver::BisectReport> BisectGraph(const ir::GraphModule& module,
                                                 const std::string& function, const Values& inputs,
                                                 const target::Target& target,
                                                 const GraphBuildOptions& options);

}  // namespace lathe::graph
