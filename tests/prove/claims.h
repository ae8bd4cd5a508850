// The checked build: it verifies the user's claims, which are trusted otherwise (S51).
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::prove {

// Checks that the program computes the right results in the checked build. Then gives one of its
// stages a store predicate that need not hold. Either the checked build reports it ("check-claim"),
// or the results must be right all the same. Returns true if it was reported. Throws Failed.
bool CheckClaims(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const Run& run, uint64_t seed);

}  // namespace lathe::prove
