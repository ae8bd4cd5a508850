#include "driver/auto_build.h"

#include <algorithm>

#include "base/error.h"
#include "driver/time_limit.h"
#include "runtime/status.h"
#include "target/attribute_names.h"
#include "target/canonical.h"
#include "topi/schedule.h"

namespace lathe::driver {

std::vector<ir::Op> OutputsOf(const std::vector<ir::NodeRef>& args) {
  std::vector<ir::Op> outputs;
  for (const ir::NodeRef& arg : args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (!tensor || ir::As<ir::PlaceholderOp>(tensor->op) != nullptr) continue;
    const bool seen = std::any_of(outputs.begin(), outputs.end(),
                                  [&](const ir::Op& op) { return op.same_as(tensor->op); });
    if (!seen) outputs.push_back(tensor->op);
  }
  return outputs;
}

absl::StatusOr<topi::Scheduled> DefaultSchedule(std::vector<ir::Op> outputs,
                                                const target::Target& target, CompileCache* cache,
                                                topi::Config config) {
  // Plain loops do not depend on the machine, so the target need not be canonical.
  if (!target.HasKey(target::kCpuKey))
    return topi::Schedule(std::move(outputs), target, std::move(config));
  LATHE_ASSIGN_OR_RETURN(const target::Target canonical, cache == nullptr
                                                             ? target::CanonicalTarget(target)
                                                             : cache->KnownCanonicalTarget(target));
  return topi::Schedule(std::move(outputs), canonical, std::move(config));
}

absl::StatusOr<ProgramToCompile> AutoProgram(std::vector<ir::NodeRef> args, std::string name,
                                             const target::Target& target,
                                             const lower::PassContext& context,
                                             CompileCache* cache) {
  const TimeLimit limit(context);
  std::vector<ir::Op> outputs = OutputsOf(args);
  if (outputs.empty()) {
    throw Error(Diagnostic{.name = "auto-build-no-output",
                           .message = "`" + name + "` computes nothing",
                           .expected = "arguments of which one is computed",
                           .found = "placeholders and variables",
                           .help = "give the tensors that are wanted as arguments, too"});
  }
  ProgramToCompile program;
  {
    const lower::TimedStep step(context, "schedule", "default schedule");
    LATHE_ASSIGN_OR_RETURN(topi::Scheduled made,
                           DefaultSchedule(std::move(outputs), target, cache));
    program.schedule = std::move(made.schedule);
  }
  program.args = std::move(args);
  program.name = std::move(name);
  program.target = target;
  program.context = context;
  return program;
}

absl::StatusOr<runtime::Module> AutoBuild(std::vector<ir::NodeRef> args, std::string name,
                                          const target::Target& target,
                                          const lower::PassContext& context, CompileCache* cache) {
  const TimeLimit limit(context);
  LATHE_ASSIGN_OR_RETURN(const ProgramToCompile program,
                         AutoProgram(std::move(args), std::move(name), target, context, cache));
  return BuildProgram(program, cache);
}

}  // namespace lathe::driver
