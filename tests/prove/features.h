// Lists what is in a schedule, by the names that the report counts: scopes, reductions over
// threads, and so on.
#pragma once

#include <set>
#include <string>

#include "schedule/schedule.h"

namespace lathe::prove {

// Features beyond the primitives in the schedule's trace: "vthread", "cross-thread reduction",
// "shared memory", "local memory", "warp memory" (of computed stages, if there are threads), "time
// loop" (a scan's loop over rows is scheduled), "within a scan" (what the scan's steps compute is
// scheduled).
std::set<std::string> FeaturesOf(const schedule::Schedule& schedule);

}  // namespace lathe::prove
