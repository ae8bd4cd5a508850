// Makes the plan of a fused function, and the programs of its kernels.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/plan/kernel_program.h"
#include "runtime/graph/plan.h"

namespace lathe::graph {

struct MadePlan {
  runtime::graph::Plan plan;
  std::vector<KernelProgram> kernels;      // each once, under the names that the steps use
  std::vector<Ref<const Blob>> constants;  // those of plan.constants, in their order
};

// What a plan is made for.
struct PlanTargets {
  std::string main = "cpu";                    // the main device (graph/devices.h)
  std::map<std::string, std::string> targets;  // kind of device -> text of its target
};

// Kernels by device and the program that they are compiled from (te/workload_key.h): each once.
class KernelTable {
 public:
  explicit KernelTable(PlanTargets targets) : targets_(std::move(targets)) {}
  const PlanTargets& targets() const { return targets_; }
  // The name of the kernel for this program; the same for equal programs.
  std::string NameOf(KernelProgram program);
  std::vector<KernelProgram> Take() { return std::move(kernels_); }

 private:
  const PlanTargets targets_;
  std::vector<KernelProgram> kernels_;
  std::unordered_map<std::string, std::string> names_by_key_;
  std::unordered_set<std::string> names_;
};

// `func` is typed, placed (PlaceDevices) and fused. Groups for one kind of device with the same
// program (te/workload_key.h) share a kernel. A constant that is read on several devices is in the
// plan for each of them, as `name@device`. Throws Error
//   graph-plan-unsupported  functions and data types as values, recursion, inputs that are no
//                           tensors, and sizes that only a run knows: the interpreter takes them
//   graph-plan-size         a size that no input's shape tells, or an extent that is no arithmetic
MadePlan MakePlan(const ir::GraphFunc& func, const PlanTargets& targets);
// The same for one of several plans that share kernels, which are in the table.
MadePlan MakePlan(const ir::GraphFunc& func, KernelTable& kernels);

}  // namespace lathe::graph
