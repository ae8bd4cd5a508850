#include "tune/sketch_space.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "driver/auto_build.h"
#include "runtime/status.h"
#include "target/attribute_names.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "te/operation.h"
#include "topi/gpu/thread_schedule.h"
#include "tune/sketch/choices.h"
#include "tune/sketch/cpu_rules.h"
#include "tune/sketch/gpu_rules.h"
#include "tune/sketch/parts.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using sketch::Choices;
using sketch::Parts;

using Rules = schedule::Schedule (*)(const Parts&, const target::Machine&, Choices&);

absl::StatusOr<Rules> RulesFor(const target::Target& target) {
  if (target.HasKey(target::kCpuKey)) return sketch::ScheduleForCaches;
  if (topi::gpu::HasThreads(target::MachineOf(target))) return sketch::ScheduleForThreads;
  return runtime::MakeStatus(
      absl::StatusCode::kUnimplemented, "tune-sketch-target",
      {"schedules without a template are made for processors with caches, and for devices with "
       "threads in blocks\nfound: ",
       target.ToString(), "\nhelp: write a template (lathe.autotvm)"});
}

absl::Status NoKnobs(const std::string& name, std::string_view why) {
  return runtime::MakeStatus(absl::StatusCode::kFailedPrecondition, "tune-no-knobs",
                             {"there is nothing to choose: `", name, "` ", why});
}

// A device runs nothing but what is bound to its threads.
absl::Status CheckForThreads(const Parts& parts, const std::string& name) {
  for (const ir::Op& op : parts.order()) {
    if (parts.of(op).compute == nullptr && ir::As<ir::PlaceholderOp>(op) == nullptr &&
        !te::IsConstant(*op))
      return NoKnobs(name,
                     "has operations that cannot be shared by threads here: `" + op->name + "`");
  }
  return absl::OkStatus();
}

std::vector<int64_t> ValuesOf(const Knob& knob) {
  std::vector<int64_t> values;
  for (const Json& candidate : knob.candidates) values.push_back(candidate.int_value());
  return values;
}

}  // namespace

absl::StatusOr<ScheduleSpace> MakeSketchSpace(std::vector<ir::NodeRef> args, std::string name,
                                              const target::Target& target,
                                              const lower::PassContext& context,
                                              driver::CompileCache* cache,
                                              const std::vector<ir::Tensor>& pre_transformed) {
  driver::ProgramToCompile plain{{}, std::move(args), std::move(name), target, context};
  LATHE_ASSIGN_OR_RETURN(plain.target, cache == nullptr ? target::CanonicalTarget(target)
                                                        : cache->KnownCanonicalTarget(target));
  LATHE_ASSIGN_OR_RETURN(const Rules rules, RulesFor(plain.target));
  const auto parts = std::make_shared<const Parts>(driver::OutputsOf(plain.args), pre_transformed);
  if (rules == sketch::ScheduleForThreads)
    LATHE_RETURN_IF_ERROR(CheckForThreads(*parts, plain.name));
  const target::Machine machine = target::MachineOf(plain.target);
  Choices first;
  rules(*parts, machine, first);
  ScheduleSpace result;
  for (auto& [knob, otherwise] : first.asked) {
    const std::vector<int64_t> values = ValuesOf(knob);
    const auto at = std::find(values.begin(), values.end(), otherwise);
    result.otherwise.push_back(static_cast<uint32_t>(at - values.begin()));
    LATHE_RETURN_IF_ERROR(result.space.Add(std::move(knob)));
  }
  if (result.space.knobs().empty())
    return NoKnobs(plain.name, "has no computation with loops of constant extents");
  result.make = [plain, parts, machine, rules, knobs = result.space.knobs()](const Point& point) {
    Choices choices;
    for (size_t i = 0; i < knobs.size(); ++i)
      choices.Set(knobs[i].name, knobs[i].candidates[point[i]].int_value());
    driver::ProgramToCompile program = plain;
    program.schedule = rules(*parts, machine, choices);
    return program;
  };
  return result;
}

}  // namespace lathe::tune
