// Small programs for any target. The target's manifest decides how they are scheduled. They are
// compiled through the driver, run where the target's tensors are, and compared with the
// interpreter.
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
  std::vector<ir::Var> sizes;  // the symbolic sizes of the tensors
  // Changes the output's schedule, in place of the default: all axes fused and bound to threads if
  // the target has threads, plain loops if it has none.
  std::function<void(schedule::Schedule&)> schedule;

  // Inputs, then outputs.
  std::vector<ir::NodeRef> Arguments() const;
};

// The subject's first target, as its manifest describes it. Loads nothing.
target::Target TargetOf(const Subject& subject);
// The same target as text: the value of --target, or its kind.
std::string TargetName(const Subject& subject);
// The number of threads for a block that asks for `wanted`: less if the target allows less.
int64_t ThreadsPerBlock(const target::Target& target, int64_t wanted);
// B[i] = A[i] * 2 + 1, float32, symbolic.
Program ScaleProgram(const Subject& subject);
// C[i, j] = sum over k of A[i, k] * B[k, j], float32, symbolic.
Program MatmulProgram(const Subject& subject);

// The program's loops with the default schedule for the target, or, for reference, with no
// schedule.
ir::Module LoopsFor(const target::Target& target, const Program& program);
ir::Module PlainLoops(const Program& program);
// The lowered module that the plugin gets.
ir::Module LoweredFor(const Subject& subject, const Program& program);

// Makes the subject the plugin for its kinds in this process. The default plugins, which provide
// hosts, are used beside it. Call it once per process.
void UsePlugin(const Subject& subject);

// The device that holds the target's tensors. Fails (not applicable) if there is none on this
// machine.
absl::StatusOr<runtime::Device> DeviceOf(const target::Target& target);

// Compiles and loads the program. Its function is "f".
absl::StatusOr<runtime::Module> BuildProgram(const target::Target& target, const Program& program);

// Runs the module and the interpreter on inputs made from `seed`, with the given sizes. The results
// must be equal; floats may differ by `ulps` units in the last place.
absl::Status RunAndCompare(const target::Target& target, const runtime::Module& module,
                           const Program& program, const std::vector<int64_t>& sizes, uint64_t seed,
                           double ulps = 0);
// Compares the interpreter's result for `loops` with its result for the program itself. `loops` is
// another form of the program, in which intrinsics run as their reference bodies.
absl::Status InterpretAndCompare(const Program& program, const ir::Module& loops,
                                 const std::vector<int64_t>& sizes, double ulps = 0);
// Builds, runs and compares.
absl::Status CheckProgram(const Subject& subject, const Program& program,
                          const std::vector<std::vector<int64_t>>& sizes, double ulps = 0);

}  // namespace lathe::kit
