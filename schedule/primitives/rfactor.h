// rfactor: a reduction becomes two: partial results per value of one of its loops, then their
// combination.
//
//   C[i] = 0                              C.rf[ko, i] = 0
//   for ko: for ki:               -->     for ki: C.rf[ko, i] += A[i, ko * 4 + ki]
//     C[i] += A[i, ko * 4 + ki]           C[i] = 0
//                                         for ko: C[i] += C.rf[ko, i]
//
// The partial results have one more dimension, at `factor_axis` (counted from the end if negative:
// -1 is the last). They start from the reducer's identity; `where` and the guards of splits that do
// not divide belong to them, and an explicit init stays with the combination (S13, S15). Reducers
// must be commutative and associative; floating-point sums round in another order.
//
// Handles stay valid: the tensor's data axes and `axis` belong to the combination's stage. All
// other loops of the reduction, with their splits, fusions and annotations, belong to the stage of
// the partial results. There `axis` has become a data axis of the same name, AxisOf(result,
// factor_axis). A stage computed at a loop that moves is moved with the loop.
//
// Precondition: `axis` is a plain loop of a reduction. Extents are not tightened (S5). Errors:
// schedule-not-a-leaf, schedule-axis-annotated, schedule-rfactor-not-a-reduction,
// schedule-rfactor-position, schedule-predicate-refused (a store predicate that depends on
// reduction loops).
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// Returns the partial results, one tensor per output of the reduction.
std::vector<Tensor> RFactor(Schedule& schedule, const Tensor& tensor, const IterVar& axis,
                            int64_t factor_axis = 0);

}  // namespace lathe::schedule
