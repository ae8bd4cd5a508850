// The checked build: what is trusted is verified there (S51).
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::prove {

// The program in the checked build computes what it should. Then one of its stages is given a store
// predicate that need not hold: either the checked build says so ("check-claim"), or the results
// are right all the same. True where it said so. Throws Failed.
bool CheckClaims(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const Run& run, uint64_t seed);

}  // namespace lathe::prove
