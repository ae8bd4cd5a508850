// Illegal requests, which every schedule must refuse.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::prove {

// Asks a copy of `schedule`, which lowers with `args`, for something illegal, drawn from `seed`. It
// must be refused with the right diagnostic, by the primitive or by lowering. A refused request
// must change nothing. Throws Failed ("illegal:WHAT"). Counts the requests by kind. If a request
// does not apply to the schedule, draws another one.
void CheckIllegal(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                  uint64_t seed, std::map<std::string, int64_t>* counts);

// The names of all kinds of requests.
std::vector<std::string> IllegalKinds();

}  // namespace lathe::prove
