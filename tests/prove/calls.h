// Calls as foreign callers make them: buffers declared with strides, offsets, alignments; views
// into larger memory; and calls that are wrong in one respect (S30-S39).
#pragma once

#include <cstdint>
#include <vector>

#include "tests/prove/run.h"

namespace lathe::prove {

// Declares the arguments' buffers of the loop nest `func` (`f`) anew in random layouts, lowers it,
// calls it with fitting views, and then in `misuses` wrong ways, each of which must be refused by
// its diagnostic before anything is written. `sizes` are the values of inputs.size_vars. Throws
// Failed ("call", "misuse:NAME").
void CheckCalls(const ir::Func& func, const Inputs& inputs, const std::vector<int64_t>& sizes,
                uint64_t seed, int misuses, bool compile);

}  // namespace lathe::prove
