// Explains what is made of a graph: layouts that were chosen and not chosen, groups and their
// kernels, and the memory of each step.
#pragma once

#include <map>
#include <string>

#include "graph/build.h"

namespace lathe::graph {

struct ExplainGraphOptions {
  GraphBuildOptions build;
  // By name. Sizes that are not given have the first value that the operators allow.
  std::map<std::string, int64_t> sizes;
};

// For people, in lines of text. Compiles the function; the target must be this machine's. Throws
// Error "graph-sizes"; throws and fails as CompileGraph does. Thread-safe.
absl::StatusOr<std::string> ExplainGraph(const ir::GraphModule& module, const std::string& function,
                                         const target::Target& target,
                                         const ExplainGraphOptions& options);

}  // namespace lathe::graph
