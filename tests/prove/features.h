// What is in a schedule, by the names that the report counts: scopes, reductions over threads, ...
#pragma once

#include <set>
#include <string>

#include "schedule/schedule.h"

namespace lathe::prove {

// Beyond the primitives in its trace: "vthread", "cross-thread reduction", "shared memory", "local
// memory", "warp memory" (of computed stages, where threads are), "time loop" (a scan's loop over
// rows is scheduled), "within a scan" (what its steps compute is).
std::set<std::string> FeaturesOf(const schedule::Schedule& schedule);

}  // namespace lathe::prove
