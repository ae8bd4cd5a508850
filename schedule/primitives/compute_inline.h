// compute_inline: a stage disappears into the expressions that read it.
//
//   B[i] = A[i] + 1
//   C[i] = B[i] * 2         -->      C[i] = (A[i] + 1) * 2
//
// Precondition: a compute with one output and no reduction, that is not an output of the schedule
// (S48), nor the init or update of a scan. Errors: schedule-inline-refused, which says what the
// stage is.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeInline(Stage& stage);

}  // namespace lathe::schedule
