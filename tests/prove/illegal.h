// Requests that no schedule may grant.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::prove {

// Asks a copy of `schedule`, which lowers with `args`, for something illegal, drawn from `seed`. It
// must be refused by the right diagnostic, when it is asked for or when the schedule is lowered,
// and a refused request must change nothing. Throws Failed ("illegal:WHAT"). Counts what was asked
// for; some requests do not apply to every schedule, and then another is drawn.
void CheckIllegal(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                  uint64_t seed, std::map<std::string, int64_t>* counts);

// The names of all kinds of requests.
std::vector<std::string> IllegalKinds();

}  // namespace lathe::prove
