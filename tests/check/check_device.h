// For tests: a schedule with thread axes against te's evaluator, before and after every pass of the
// pipelines for devices. The interpreter runs threads as threads (docs/design/threads.md): races,
// divergent barriers and accesses out of bounds are errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/pass.h"
#include "schedule/schedule.h"

namespace lathe::lower {

// The problem, with the name of the pass, or "" if there is none. `args` are in calling order;
// inputs are small integers from `seed`, so that results are exact. Symbolic extents take `sizes`
// in order of appearance. `*split`, if not null, gets the module after DevicePasses.
std::string CheckDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                        const std::vector<int64_t>& sizes = {}, PassContext context = {},
                        ir::Module* split = nullptr, uint64_t seed = 3);

}  // namespace lathe::lower
