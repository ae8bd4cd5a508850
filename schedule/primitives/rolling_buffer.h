// rolling_buffer: a stage computed at a loop of its reader keeps the elements that both one
// iteration and the next need.
//
//   for io:                                  realize B (6 elements, reused in turn):
//     realize B[4*io : 4*io + 6]:            for io:
//       for j in 6:                    -->     for j in 6:
//         B[4*io + j] = ...                      if io == 0 or 4*io + j >= 4*io + 2:
//       ... = B[4*io + ii] ...                     B[(4*io + j) % 6] = ...
//                                              ... = B[(4*io + ii) % 6] ...
//
// In each iteration after the first, only the new elements are computed, and only what stages
// attached to this one compute for them; they replace the oldest ones. Where threads take part,
// attached stages compute all. The memory is as large as one iteration's region.
//
// Checked when lowering, because programs make attachments in any order: the stage is a compute
// that is attached (compute_at) to a loop of a compute; that loop runs in order (serial or
// unrolled); from one iteration to the next the stage's region moves along exactly one dimension,
// by a constant > 0, and keeps its extent; the stage has no other layout. Errors:
// schedule-rolling-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void RollingBuffer(Stage& stage);

}  // namespace lathe::schedule
