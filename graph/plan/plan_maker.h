// Makes the plan of a fused function, and the programs of its kernels.
#pragma once

#include <string>
#include <vector>

#include "graph/plan/kernel_program.h"
#include "runtime/graph/plan.h"

namespace lathe::graph {

struct MadePlan {
  runtime::graph::Plan plan;
  std::vector<KernelProgram> kernels;      // each once, under the names that the steps use
  std::vector<Ref<const Blob>> constants;  // those of plan.constants, in their order
};

// `func` is typed and fused. Groups with the same program (te/workload_key.h) share a kernel.
// `target` is the text of a canonical target. Throws Error
//   graph-plan-unsupported  functions and data types as values, recursion, inputs that are no
//                           tensors, and sizes that only a run knows: the interpreter takes them
//   graph-plan-size         a size that no input's shape tells, or an extent that is no arithmetic
MadePlan MakePlan(const ir::GraphFunc& func, const std::string& target);

}  // namespace lathe::graph
