#include "tune/schedule_space.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "driver/auto_build.h"
#include "ir/tensor_op.h"
#include "runtime/status.h"
#include "target/canonical.h"
#include "topi/schedule.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using Values = std::map<std::string, int64_t, std::less<>>;

Knob KnobOf(const topi::KnobValue& asked) {
  constexpr int64_t kAll = 32;
  std::set<int64_t> values = {asked.low, asked.high, asked.otherwise};
  const bool all = asked.high - asked.low < kAll;
  for (int64_t value = all ? asked.low : 1; value <= asked.high;
       value = all ? value + 1 : 2 * value)
    if (value >= asked.low) values.insert(value);
  Knob knob{asked.name, KnobKind::kOption, {}};
  for (const int64_t value : values) knob.candidates.emplace_back(value);
  return knob;
}

// The schedule with these values, as far as it asks for them. A value counts from the first knob on
// that it changes: what is asked depends on the answers before.
schedule::Schedule ScheduleWith(const std::vector<ir::Op>& outputs, const target::Target& target,
                                const std::vector<std::pair<std::string, int64_t>>& wanted) {
  Values set;
  topi::Scheduled made = topi::Schedule(outputs, target);
  for (const auto& [name, value] : wanted) {
    const bool asked = std::any_of(made.knobs.begin(), made.knobs.end(),
                                   [&name = name](const auto& knob) { return knob.name == name; });
    if (!asked) continue;
    Values more = set;
    more.emplace(name, value);
    try {
      made = topi::Schedule(outputs, target, topi::Config(more));
      set = std::move(more);
    } catch (const Error& error) {
      // An earlier knob is not asked for any more with this value: there is no such schedule.
      if (error.name() != "topi-unknown-knob") throw;
    }
  }
  return made.schedule;
}

}  // namespace

schedule::Schedule ScheduleWithKnobs(const std::vector<ir::NodeRef>& args,
                                     const target::Target& target,
                                     const std::vector<std::pair<std::string, int64_t>>& values) {
  return ScheduleWith(driver::OutputsOf(args), target, values);
}

bool HasKnobs(const std::vector<ir::NodeRef>& args, const target::Target& target) {
  return !topi::Schedule(driver::OutputsOf(args), target).knobs.empty();
}

absl::StatusOr<ScheduleSpace> MakeScheduleSpace(std::vector<ir::NodeRef> args, std::string name,
                                                const target::Target& target,
                                                const lower::PassContext& context,
                                                driver::CompileCache* cache) {
  LATHE_ASSIGN_OR_RETURN(
      driver::ProgramToCompile plain,
      driver::AutoProgram(std::move(args), std::move(name), target, context, cache));
  LATHE_ASSIGN_OR_RETURN(plain.target, target::CanonicalTarget(target));
  const std::vector<ir::Op> outputs = driver::OutputsOf(plain.args);
  const topi::Scheduled made = topi::Schedule(outputs, plain.target);
  ScheduleSpace result;
  for (const topi::KnobValue& asked : made.knobs) {
    Knob knob = KnobOf(asked);
    const auto at =
        std::find_if(knob.candidates.begin(), knob.candidates.end(),
                     [&](const Json& candidate) { return candidate.int_value() == asked.value; });
    result.otherwise.push_back(static_cast<uint32_t>(at - knob.candidates.begin()));
    LATHE_RETURN_IF_ERROR(result.space.Add(std::move(knob)));
  }
  if (result.space.knobs().empty())
    return runtime::MakeStatus(
        absl::StatusCode::kFailedPrecondition, "tune-no-knobs",
        {"there is nothing to choose: the schedule of `", plain.name,
         "` asks for no knob\nexpected: a program with an operator that has a template, or loops "
         "to split\nhelp: `lathe compile PROGRAM --list-knobs` shows what a schedule asks for"});
  result.make = [plain, outputs, knobs = result.space.knobs()](const Point& point) {
    std::vector<std::pair<std::string, int64_t>> wanted;
    for (size_t i = 0; i < knobs.size(); ++i)
      wanted.emplace_back(knobs[i].name, knobs[i].candidates[point[i]].int_value());
    driver::ProgramToCompile program = plain;
    program.schedule = ScheduleWith(outputs, plain.target, wanted);
    return program;
  };
  return result;
}

}  // namespace lathe::tune
