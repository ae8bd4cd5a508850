// Chains of stencils, ops::BoxBlurs, computed together: rows of each stage are kept in the caches
// for as long as the next one reads them.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/stencil.h"

namespace lathe::topi::cpu {

enum class StencilSchedule {
  kSlidingWindows,  // all stages row by row, a window of rows of each
  kUnfused,  // one stage after the other, each through memory: what the windows are measured by
};

// With sliding windows (knob box_blurs.windows) each strip of rows has its own, so that strips run
// in parallel; it computes some rows again at its top (blurs (blurs - 1), of each strip). Windows
// want at least two rows.
void ScheduleBoxBlurs(const OperatorWork& work);

// float32. args: x[height + 2 blurs, width + 2 blurs], y[height, width].
Kernel BoxBlurs(int64_t blurs, int64_t height, int64_t width, StencilSchedule schedule,
                const target::Machine& machine);

}  // namespace lathe::topi::cpu
