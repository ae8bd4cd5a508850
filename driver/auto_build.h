// Builds a callable from tensor expressions alone; the schedule is made here.
//
//   te::Tensor c = te::Compute(...);
//   absl::StatusOr<runtime::Module> module =
//       AutoBuild({a, b, c}, "kernel", target::ParseTarget("llvm"), {}, &CompileCache::Default());
//
// topi::Schedule (topi/schedule.h) makes the schedule for the target's vectors and registers. For
// CPUs it uses templates for the operators that they fit, and patterns for all other stages.
// Targets with threads get a thread for each element, all others plain loops; write a schedule to
// use such a machine well. See
// docs/design/default_schedules.md. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "te/operation.h"
#include "topi/scheduled.h"

namespace lathe::driver {

// The operations of those arguments that are computed, each once: what a program has to compute.
std::vector<ir::Op> OutputsOf(const std::vector<ir::NodeRef>& args);

// Calls topi::Schedule for `outputs` and all operations that they need. Makes the target canonical
// first, from what `cache` remembers (if `cache` is null, by the target's plugin). Fails as
// target::CanonicalTarget does.
absl::StatusOr<topi::Scheduled> DefaultSchedule(std::vector<ir::Op> outputs,
                                                const target::Target& target, CompileCache* cache,
                                                topi::Config config = {});

// `args`: tensors and scalar variables in calling order. The outputs are the tensors that are not
// placeholders. Throws Error "auto-build-no-output" if there are none.
absl::StatusOr<ProgramToCompile> AutoProgram(std::vector<ir::NodeRef> args, std::string name,
                                             const target::Target& target,
                                             const lower::PassContext& context,
                                             CompileCache* cache);

// Calls AutoProgram, then BuildProgram.
absl::StatusOr<runtime::Module> AutoBuild(std::vector<ir::NodeRef> args, std::string name,
                                          const target::Target& target,
                                          const lower::PassContext& context, CompileCache* cache);

}  // namespace lathe::driver
