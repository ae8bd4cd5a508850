// Calls as other programs make them: buffers declared with strides, offsets and alignments; views
// into larger memory; and calls that are wrong in one respect (S30-S39).
#pragma once

#include <cstdint>
#include <vector>

#include "tests/prove/run.h"

namespace lathe::prove {

// Redeclares the buffers of the loop nest `func` (`f`) in random layouts, lowers it and calls it
// with fitting views. Then calls it in `misuses` wrong ways. Each wrong call must be refused with
// its diagnostic before anything is written. `sizes` are the values of inputs.size_vars. Throws
// Failed ("call", "misuse:NAME").
void CheckCalls(const ir::Func& func, const Inputs& inputs, const std::vector<int64_t>& sizes,
                uint64_t seed, int misuses, bool compile);

}  // namespace lathe::prove
