// Makes programs (runtime/graph/vm): plans for all that computes tensors, and the code around them.
#pragma once

#include <string>
#include <vector>

#include "graph/plan/plan_maker.h"
#include "runtime/graph/vm/program.h"

namespace lathe::graph {

struct MadeProgram {
  runtime::vm::Program program;
  std::vector<KernelProgram> kernels;  // each once
  // Of each plan, the data of its constants, in their order.
  std::vector<std::vector<Ref<const Blob>>> constants;
};

// `functions` are typed and fused; each is an entry. They call each other only, and use the data
// types of `module`. They run on the main device of `targets`, which is the host.
//
// In each block, what needs tensors alone is gathered into pieces, as few as the order of the calls
// allows, and each becomes a plan. Constants belong to the plans that read them. A size travels as
// a tensor that has it as an extent. Throws what MakePlan throws: Error "graph-plan-size" for a
// size that no tensor has as an extent.
MadeProgram MakeProgram(const List<ir::GraphFunc>& functions, const ir::GraphModule& module,
                        const PlanTargets& targets);

}  // namespace lathe::graph
