// A plan whose kernels are found: all that does not depend on shapes. Internal to the executor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lathe/abi/kernel.h"
#include "runtime/device.h"
#include "runtime/function.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/size_expression.h"
#include "runtime/module.h"

namespace lathe::runtime::graph {

// An extent that a kernel states for one of its buffers, over the kernel's sizes.
struct StatedExtent {
  int32_t buffer = 0, axis = 0;
  SizeExpression value;
};

// A scalar argument of a function that launches work on a device, or its next buffer.
struct LaunchArgument {
  int32_t size = -1;                        // position among the kernel's sizes; -1: a buffer
  lathe_value_kind kind = LATHE_VALUE_INT;  // of a size
};

// A kernel of the code; several steps may call it.
struct ResolvedKernel {
  lathe_kernel_entry call = nullptr;      // on the host
  Function launch;                        // on another device: a function with checks of its own
  std::vector<LaunchArgument> arguments;  // of `launch`, in order
  std::vector<std::string> size_names;    // in the order of the entry's sizes
  std::vector<uint8_t> wide;              // for each size: may have 64 bits
  std::vector<StatedExtent> extents;
  SizeExpression workspace, thread_workspace;
};

struct ResolvedStep {
  int32_t kernel = -1;         // number in `kernels`; -1 for steps that call none
  std::vector<int32_t> sizes;  // numbers of plan sizes, in the kernel's order
};

// What a run does, in order. Blocks have become branches and jumps.
struct Instruction {
  enum class Op : uint8_t {
    kKernel,
    kLaunch,  // of a kernel on another device
    kCopy,
    kBranch,  // goes on at `target` if the condition of `step` is false
    kJump,    // goes on at `target`
    kBind,    // binds the sizes of group `target`
  };
  Op op = Op::kKernel;
  int32_t step = 0;
  int32_t target = 0;
};

// What is planned together. Group 0 is known when the inputs' shapes are. Each further group
// belongs to a step that binds a size, and has what is known from there on.
struct ResolvedGroup {
  int32_t step = -1;
  std::vector<int32_t> sizes;       // that are computed when it is bound, in order; not in group 0
  std::vector<int32_t> tensors;     // in order
  std::vector<int32_t> steps;       // kernels and copies
  std::vector<int32_t> conditions;  // that are checked when it is bound
};

// When a tensor's memory is in use: from the step that writes it first to the step that uses it
// last, through any alias, and in any round of a loop. Of roots only.
struct Lifetime {
  int32_t first = -1, last = -1;  // -1: never
};

struct ResolvedOutput {
  int32_t tensor = 0;
  // True: the steps write the output's memory. False: it is copied when all steps are done, because
  // its memory is an input's, a constant's, another output's, or larger.
  bool direct = false;
};

struct ResolvedPlan {
  Plan plan;
  std::vector<Device> devices;                // of each entry of plan.devices
  std::vector<std::optional<int64_t>> known;  // of each size, what does not depend on inputs
  std::vector<Module> code;                   // kept alive
  std::vector<ResolvedKernel> kernels;
  std::vector<ResolvedStep> steps;
  lathe_kernel_entry constants_entry = nullptr;
  // Found by FindFlow:
  std::vector<Instruction> program;
  std::vector<ResolvedGroup> groups;
  std::vector<int32_t> tensor_groups;  // of each tensor
  std::vector<int32_t> roots;          // of each tensor, the tensor whose memory it has
  std::vector<uint8_t> whole;          // of each tensor: it has all bytes of its root
  std::vector<uint64_t> offsets;       // of each tensor: where in its root's bytes it begins
  std::vector<uint8_t> has_parts;      // of each root: tensors are parts of it
  std::vector<Lifetime> lifetimes;     // of each root
  std::vector<ResolvedOutput> outputs;
  std::vector<int32_t> direct;  // of each root: the output in whose memory it is, or -1
};

// Fills the members above from the plan, which is sound.
void FindFlow(ResolvedPlan* resolved);

// The device of a tensor.
inline const Device& DeviceOf(const ResolvedPlan& resolved, int32_t tensor) {
  const int32_t number = resolved.plan.tensors[static_cast<size_t>(tensor)].device;
  return resolved.devices[static_cast<size_t>(number)];
}
// The number of the device on which a kernel runs: that of its buffers.
int32_t DeviceOfStep(const Plan& plan, const PlanStep& step);

// The bytes to which the address of a tensor's data must be aligned.
uint64_t AlignmentOf(const PlanTensor& tensor);

// For the messages of errors: "conv2d_3", or "step 3 (`kernel`)" if the step has no location.
std::string StepName(const Plan& plan, size_t step);
// "`x` (tensor 3)"
std::string TensorName(const Plan& plan, int32_t tensor);

}  // namespace lathe::runtime::graph
