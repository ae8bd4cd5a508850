// bind: a leaf's iterations become the threads of a thread axis.
//
//   for i in range(256): ...    --bind(i, threadIdx.x)-->    thread threadIdx.x in range(256): ...
//
// Precondition: `axis` is a leaf without annotation; block indices do not take reduction axes
// (S47). Errors: schedule-not-a-leaf, schedule-axis-annotated, schedule-annotate-reduction,
// schedule-bind-not-a-thread, schedule-bind-extent.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// A thread axis: "blockIdx.x" ... "threadIdx.z", "vthread", or one that a plugin declares. Without
// an extent it takes the extent of the loop that is bound to it.
IterVar ThreadAxis(std::string tag, Expr extent = {});
void Bind(Stage& stage, const IterVar& axis, const IterVar& thread);

}  // namespace lathe::schedule
