// env_threads: a whole stage runs on threads, whose work its parts divide among themselves.
//
//   for t in range(n): ...                  for block on blockIdx.x:
//     for j on threadIdx.x: S[t, j] = ...     for thread on threadIdx.x:
//                                     -->       for t in range(n):
//                                                 for j on threadIdx.x: S[t, j] = ...
//
// Loops within the stage that are bound to the same axes are the same threads: a recurrence (scan)
// keeps its time loop inside one kernel. Without env_threads every step is a kernel of its own.
//
// Precondition: the axes are thread axes with extents, each once, and no leaf of the stage itself
// is bound to one of them. Errors: schedule-env-threads.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// Outermost first. Replaces what an earlier call said.
void EnvThreads(Stage& stage, const std::vector<IterVar>& axes);

}  // namespace lathe::schedule
