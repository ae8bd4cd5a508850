// pipeline: the data for later iterations of a loop is computed ahead, some iterations in advance.
//
//   for i in range(n):                      with memory for 3 blocks of B:
//     realize B: B = A[i]                     B of 0; B of 1                  prologue
//     ... = B                       -->       for i in range(n - 2):          steady
//                                               B of i + 2; use B of i
//                                             use B of n - 2; of n - 1        epilogue
//     (pipeline(i, 3))
//
// All stages computed at that loop run ahead, in order, by `stages` - 1 iterations; each gets
// memory for `stages` blocks. With `async` each of them must be a plain copy. The copies are then
// started and waited for separately (async_copy, async_commit, async_wait), and the loop continues
// in between. See lower/software_pipeline.h.
//
// Precondition: `axis` is a plain leaf that stays serial; 2 <= stages <= 16. When lowering: stages
// are computed at that loop. Errors: schedule-not-a-leaf, schedule-axis-annotated,
// schedule-pipeline-stages; when lowering pipeline-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void Pipeline(Stage& stage, const IterVar& axis, int64_t stages, bool async = false);

}  // namespace lathe::schedule
