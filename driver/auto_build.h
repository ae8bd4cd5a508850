// From tensor expressions alone to a callable: the schedule is made here.
//
//   te::Tensor c = te::Compute(...);
//   absl::StatusOr<runtime::Module> module =
//       AutoBuild({a, b, c}, "kernel", target::ParseTarget("llvm"), {}, &CompileCache::Default());
//
// The schedule is topi::Schedule's (topi/schedule.h): for CPUs templates where the program has
// operators that they fit, patterns for all else, for the target's vectors and registers.
// Targets without the key `cpu` get plain loops: what suits their machine a schedule must say.
// docs/design/default_schedules.md has more. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "te/operation.h"
#include "topi/scheduled.h"

namespace lathe::driver {

// topi::Schedule for `outputs` and all they need. The target is made canonical first, by what
// `cache` remembers (null: by its plugin); fails as target::CanonicalTarget does.
absl::StatusOr<topi::Scheduled> DefaultSchedule(std::vector<ir::Op> outputs,
                                                const target::Target& target, CompileCache* cache,
                                                topi::Config config = {});

// `args`: tensors and scalar variables in calling order. Those that are no placeholders are the
// outputs. Throws Error "auto-build-no-output" where there is none.
absl::StatusOr<ProgramToCompile> AutoProgram(std::vector<ir::NodeRef> args, std::string name,
                                             const target::Target& target,
                                             const lower::PassContext& context,
                                             CompileCache* cache);

// AutoProgram and BuildProgram.
absl::StatusOr<runtime::Module> AutoBuild(std::vector<ir::NodeRef> args, std::string name,
                                          const target::Target& target,
                                          const lower::PassContext& context, CompileCache* cache);

}  // namespace lathe::driver
