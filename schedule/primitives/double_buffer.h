// double_buffer: the data for a loop's next iteration is computed while the present iteration uses
// its own.
//
//   for i:                             B of iteration 0
//     realize B: B = ...        -->    for i: B of iteration i + 1, in the other half
//     ... = B                                 ... = B of iteration i
//
// The stage's memory gets two halves. lower/software_pipeline.h does this; use `pipeline` for more
// than two. Precondition (S24): the stage is computed within a plain loop of another stage (checked
// when lowering), and is not an output. Errors: schedule-double-buffer-refused; when lowering
// pipeline-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void DoubleBuffer(Stage& stage);

}  // namespace lathe::schedule
