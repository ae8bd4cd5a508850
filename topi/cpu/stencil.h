// Chains of stencils, computed together: rows of each stage are kept in the caches for as long as
// the next one reads them.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

enum class StencilSchedule {
  kSlidingWindows,  // all stages row by row, a window of rows of each
  kUnfused,  // one stage after the other, each through memory: what the windows are measured by
};

// `blurs` means over 3x3 neighbours in a row, float32. args: x[height + 2 blurs, width + 2 blurs],
// y[height, width]: each blur takes a frame of one element away. A sum is that of three rows' sums.
//
// With sliding windows each strip of rows has its own, so that strips run in parallel; it computes
// some rows again at its top (blurs (blurs - 1), of each strip).
Kernel BoxBlurs(int64_t blurs, int64_t height, int64_t width, StencilSchedule schedule,
                const target::Machine& machine);

}  // namespace lathe::topi::cpu
