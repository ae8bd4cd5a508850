// Chains of stencils, ops::BoxBlurs, computed together: rows of each stage stay in the caches as
// long as the next stage reads them.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/stencil.h"

namespace lathe::topi::cpu {

enum class StencilSchedule {
  kSlidingWindows,  // all stages row by row, each keeps a window of rows
  kUnfused,         // one stage after the other, through memory; the baseline for the windows
};

// With sliding windows (knob box_blurs.windows) each strip of rows has windows of its own, so that
// strips run in parallel. Each strip computes some rows again at its top: blurs (blurs - 1) rows in
// all stages together. Needs at least two rows.
void ScheduleBoxBlurs(const OperatorWork& work);

// float32. args: x[height + 2 blurs, width + 2 blurs], y[height, width].
Kernel BoxBlurs(int64_t blurs, int64_t height, int64_t width, StencilSchedule schedule,
                const target::Machine& machine);

}  // namespace lathe::topi::cpu
