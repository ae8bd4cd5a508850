// `lathe key`: prints the key of a program's tuning records and kernels.
#include <cstdio>

#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "target/canonical.h"
#include "te/workload_key.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    kTargetOption,
    {"--program", nullptr, "print the canonical program too, with its schedule"},
};

absl::Status Run(const Arguments& arguments) {
  driver::UseDefaultPlugins();
  LATHE_ASSIGN_OR_RETURN(const LoadedProgram program, LoadProgram(arguments.positional()[0]));
  LATHE_ASSIGN_OR_RETURN(const target::Target target, target::CanonicalTarget(TargetOf(arguments)));
  const Digest key = te::WorkloadKey(program.program->args, target.ToString());
  std::printf("workload key: %s\ntarget:       %s\n", key.ToString().c_str(),
              target.ToString().c_str());
  if (arguments.Has("--program"))
    std::printf("%s", ir::ToText(schedule::CanonicalWithTrace(program.program)).c_str());
  return absl::OkStatus();
}

}  // namespace

const Command kKey = {
    .name = "key",
    .arguments = "PROGRAM",
    .what = "print the key that a program has whatever its names are",
    .details =
        "Programs that differ in names, in the order in which their operations are listed or in "
        "their schedules have one\n"
        "key for a target. PROGRAM is a program file, `-` for standard input.\n",
    .example =
        "  lathe key examples/programs/blur.lathe\n"
        "  lathe key examples/programs/gemm_tiled.lathe --target='llvm -mcpu=x86-64-v3' "
        "--program\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
