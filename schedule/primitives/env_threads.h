// env_threads: a whole stage runs on threads, and its parts divide the work among them.
//
//   for t in range(n): ...                  for block on blockIdx.x:
//     for j on threadIdx.x: S[t, j] = ...     for thread on threadIdx.x:
//                                     -->       for t in range(n):
//                                                 for j on threadIdx.x: S[t, j] = ...
//
// Loops within the stage that are bound to the same axes run on the same threads: a recurrence
// (scan) keeps its time loop inside one kernel. Without env_threads every step is a separate
// kernel.
//
// Precondition: the axes are thread axes with extents, each given once, and no leaf of the stage
// itself is bound to one of them. Errors: schedule-env-threads.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// Outermost first. Replaces the axes of an earlier call.
void EnvThreads(Stage& stage, const std::vector<IterVar>& axes);

}  // namespace lathe::schedule
