// compute_inline: a stage is substituted into the expressions that read it.
//
//   B[i] = A[i] + 1
//   C[i] = B[i] * 2         -->      C[i] = (A[i] + 1) * 2
//
// Precondition: the stage is a compute with one output and no reduction. It is not an output of the
// schedule (S48), and not the init or update of a scan. Errors: schedule-inline-refused, which
// names the reason.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void ComputeInline(Stage& stage);

}  // namespace lathe::schedule
