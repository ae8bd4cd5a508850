// vectorize, unroll, parallel: choose how a leaf's iterations run.
//
//   for i in range(8): ...   --vectorize(i)-->   vectorized for i in range(8): ...   a vector
//                            --unroll(i)----->   unrolled for i in range(8): ...     eight copies
//                            --parallel(i)--->   parallel for i in range(8): ...     many threads
//
// Precondition: `axis` is a leaf without another annotation. vectorize and parallel are refused on
// reduction axes (S47: a race otherwise); vectorize needs a constant extent, which is checked when
// lowering, because the axis may still be split. Errors: schedule-not-a-leaf,
// schedule-axis-annotated, schedule-annotate-reduction.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void Vectorize(Stage& stage, const IterVar& axis);
void Unroll(Stage& stage, const IterVar& axis);
void Parallel(Stage& stage, const IterVar& axis);

}  // namespace lathe::schedule
