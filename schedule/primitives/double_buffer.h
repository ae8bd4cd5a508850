// double_buffer: what a loop's next iteration needs is computed while this one is used.
//
//   for i:                             B of iteration 0
//     realize B: B = ...        -->    for i: B of iteration i + 1, in the other half
//     ... = B                                 ... = B of iteration i
//
// The stage's memory gets two halves; see lower/software_pipeline.h, which does it, and `pipeline`
// for more than two.
// Precondition (S24): the stage is computed within a plain loop of another stage (checked when
// lowering), and is no output.
// Errors: schedule-double-buffer-refused; when lowering pipeline-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void DoubleBuffer(Stage& stage);

}  // namespace lathe::schedule
