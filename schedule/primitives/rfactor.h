// rfactor: a reduction in two, partial results per value of one of its loops, then their
// combination.
//
//   C[i] = 0                              C.rf[ko, i] = 0
//   for ko: for ki:               -->     for ki: C.rf[ko, i] += A[i, ko * 4 + ki]
//     C[i] += A[i, ko * 4 + ki]           C[i] = 0
//                                         for ko: C[i] += C.rf[ko, i]
//
// The partial results have one dimension more, at `factor_axis` (counted from the end where it is
// negative: -1 is the last). They start from the reducer's identity; `where` and the guards of
// splits that do not divide go with them, an explicit init stays with the combination (S13, S15).
// Reducers are commutative and associative by their contract; floating-point sums round in another
// order.
//
// Handles stay valid: the tensor's data axes and `axis` belong to the combination's stage, all
// other loops of the reduction, with what they were split or fused into and their annotations, to
// the stage of the partial results. There `axis` has become a data axis, AxisOf(result,
// factor_axis), of the same name. What was computed at a loop that moved moves along.
//
// Precondition: `axis` is a plain loop of a reduction. Extents are not tightened (S5).
// Errors: schedule-not-a-leaf, schedule-axis-annotated, schedule-rfactor-not-a-reduction,
// schedule-rfactor-position, schedule-predicate-refused (one that speaks of reduction loops).
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// The partial results, one tensor per output of the reduction.
std::vector<Tensor> RFactor(Schedule& schedule, const Tensor& tensor, const IterVar& axis,
                            int64_t factor_axis = 0);

}  // namespace lathe::schedule
