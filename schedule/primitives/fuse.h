// fuse: adjacent loops become one.
//
//   for i in range(n):                    for i.j.fused in range(n * m):
//     for j in range(m):        -->         C[i.j.fused // m, i.j.fused % m] = ...
//       C[i, j] = ...
//
// Precondition: the axes are adjacent leaves, outermost first, all data or all reduce axes, and not
// annotated. Without axes: makes a new outermost loop of extent 1 (S50). Errors:
// schedule-not-a-leaf, schedule-fuse-not-adjacent, schedule-fuse-kinds, schedule-axis-annotated.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

IterVar Fuse(Stage& stage, const std::vector<IterVar>& axes);

}  // namespace lathe::schedule
