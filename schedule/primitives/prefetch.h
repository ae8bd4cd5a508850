// prefetch: each iteration requests the part of a tensor that a later one reads.
//
//   for i:                          for i:
//     ... = A[i, ...]        -->      prefetch A[i + offset, ...]
//                                     ... = A[i, ...]
//
// This is a hint: the result stays the same. The region is the part that iteration i + offset of
// the stage reads, clipped to the tensor; lower/prefetch.h turns it into one request per cache
// line. If other elements determine what is read (A[J[i]]) and those of iteration i + offset do not
// exist, nothing is fetched. Precondition: `axis` is a plain leaf of a compute that reads `tensor`;
// `offset` is an integer. When lowering: the tensor is not computed within that loop. Errors:
// schedule-not-a-leaf, schedule-axis-annotated, schedule-prefetch-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void Prefetch(Stage& stage, const Tensor& tensor, const IterVar& axis, Expr offset);
void Prefetch(Stage& stage, const Tensor& tensor, const IterVar& axis, int64_t offset);

}  // namespace lathe::schedule
