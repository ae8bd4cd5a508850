// Small programs for any target: scheduled by what its manifest says of its machine, compiled
// through the driver, run where the target's tensors live, compared with the interpreter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/module.h"
#include "runtime/tensor.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "te/operation.h"
#include "tools/plugin_test/check.h"

namespace lathe::kit {

struct Program {
  std::vector<te::Tensor> inputs, outputs;
  std::vector<ir::Var> sizes;  // of the tensors, symbolic
  // Changes the schedule of the output instead of the usual: all axes fused and bound to threads
  // where the target has such, plain loops where not.
  std::function<void(schedule::Schedule&)> schedule;

  // Inputs, then outputs.
  std::vector<ir::NodeRef> Arguments() const;
};

// The subject's first target, as its manifest describes it. Loads nothing.
target::Target TargetOf(const Subject& subject);
// The same as text: what --target gave, or its kind.
std::string TargetName(const Subject& subject);
// How many threads a block gets that would like `wanted`: fewer where the target allows fewer.
int64_t ThreadsPerBlock(const target::Target& target, int64_t wanted);
// B[i] = A[i] * 2 + 1, float32, symbolic.
Program ScaleProgram(const Subject& subject);
// C[i, j] = sum over k of A[i, k] * B[k, j], float32, symbolic.
Program MatmulProgram(const Subject& subject);

// Loops with the usual schedule for the target; or none, for the reference.
ir::Module LoopsFor(const target::Target& target, const Program& program);
ir::Module PlainLoops(const Program& program);
// What the plugin gets of it.
ir::Module LoweredFor(const Subject& subject, const Program& program);

// Makes the subject the plugin for its kinds in this process, beside the default plugins, which
// hosts come from. Once per process.
void UsePlugin(const Subject& subject);

// The device that the target's tensors live on. Fails (not applicable) where there is none here.
absl::StatusOr<runtime::Device> DeviceOf(const target::Target& target);

// The function "f" of the program, compiled and loaded.
absl::StatusOr<runtime::Module> BuildProgram(const target::Target& target, const Program& program);

// Runs it on inputs made from `seed` with the sizes given, and the interpreter on the same; equal,
// but for `ulps` units in the last place of floats.
absl::Status RunAndCompare(const target::Target& target, const runtime::Module& module,
                           const Program& program, const std::vector<int64_t>& sizes, uint64_t seed,
                           double ulps = 0);
// The interpreter on `loops`, another form of the program in which reference bodies of intrinsics
// run, and on the program itself.
absl::Status InterpretAndCompare(const Program& program, const ir::Module& loops,
                                 const std::vector<int64_t>& sizes, double ulps = 0);
// Builds, runs and compares.
absl::Status CheckProgram(const Subject& subject, const Program& program,
                          const std::vector<std::vector<int64_t>>& sizes, double ulps = 0);

}  // namespace lathe::kit
