// The schedules that topi can make of a program, as a space: so every operator of topi can be tuned
// without further code.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "ir/node.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "tune/search.h"
#include "tune/space.h"

namespace lathe::tune {

struct ScheduleSpace {
  Space space;      // a knob for each that the schedule asked for (topi/config.h)
  Point otherwise;  // the schedule that topi makes without being asked
  Template make;    // the program of a point, for the canonical target; thread-safe
};

// The schedule that topi makes of a program for a canonical target with these values of knobs;
// those that it does not ask for are ignored, as MakeScheduleSpace says. Throws Error
// "topi-knob-range".
schedule::Schedule ScheduleWithKnobs(const std::vector<ir::NodeRef>& args,
                                     const target::Target& target,
                                     const std::vector<std::pair<std::string, int64_t>>& values);
// Does that schedule ask for any?
bool HasKnobs(const std::vector<ir::NodeRef>& args, const target::Target& target);

// The space of a program with these arguments, in calling order. Of a knob with up to 32 values all
// are candidates, of others the powers of two, the ends of the range, and its own value. Knobs that
// a point's schedule does not ask for are ignored: with a template that fits no more, or if an
// earlier choice leaves nothing to choose. Fails with `tune-no-knobs`, and as
// driver::AutoProgram does.
absl::StatusOr<ScheduleSpace> MakeScheduleSpace(std::vector<ir::NodeRef> args, std::string name,
                                                const target::Target& target,
                                                const lower::PassContext& context,
                                                driver::CompileCache* cache);

}  // namespace lathe::tune
