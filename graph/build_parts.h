// What CompileGraph, BuildGraphModule and BuildProgramModule share. Internal to graph/build.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/build.h"
#include "graph/plan/plan_maker.h"

namespace lathe::graph {

// Throws Error "graph-no-function".
GraphFuncRef FindFunction(const ir::GraphModule& module, const std::string& name);
// `func` after the passes.
GraphFuncRef OptimizeFunction(GraphFuncRef func, const ir::GraphModule& module,
                              const target::Target& target, const GraphBuildOptions& options);
PlanTargets PlanTargetsOf(const target::Target& target, const GraphBuildOptions& options);
// The kernels, with the constants that plans need beside the code.
absl::StatusOr<driver::Compiled> CompileKernels(const std::vector<KernelProgram>& kernels,
                                                const std::vector<Ref<const Blob>>& constants,
                                                const target::Target& target,
                                                const GraphBuildOptions& options);
// What the target's code generator writes for the kernels of the host; "" if there are none.
absl::StatusOr<std::string> SourceOfKernels(const std::vector<KernelProgram>& kernels,
                                            const target::Target& target,
                                            plugins::OutputKind output,
                                            const GraphBuildOptions& options);
// The kernels and, for each list of constants, a function of this name that stores their addresses
// (runtime::graph::Plan::constants_entry), loaded as one module.
struct NamedConstants {
  std::string entry;
  std::vector<Ref<const Blob>> constants;
};
absl::StatusOr<runtime::Module> LoadTogether(driver::Compiled kernels,
                                             const std::vector<NamedConstants>& constants,
                                             const target::Target& target,
                                             const GraphBuildOptions& options);
// Throws Error "graph-target" unless the target makes code for hosts.
void CheckGraphTarget(const target::Target& target);

}  // namespace lathe::graph
