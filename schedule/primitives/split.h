// split: one loop becomes two.
//
//   for i in range(n):                    for i.outer in range(ceildiv(n, 8)):
//     C[i] = ...                -->         for i.inner in range(8):
//                                             if i.outer * 8 + i.inner < n:
//                                               C[i.outer * 8 + i.inner] = ...
//
// Precondition: `axis` is a leaf of `stage`, not annotated or bound. The guard is added only if the
// factor is not proved to divide the extent (S1); it also restricts axes that were fused. With
// `nparts` the outer loop gets that extent. Factors are > 0 and may be expressions over size
// variables. Errors: schedule-not-a-leaf, schedule-bad-factor, schedule-axis-annotated.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

// {outer, inner}; extents ceildiv(extent, factor) and factor.
std::pair<IterVar, IterVar> Split(Stage& stage, const IterVar& axis, Expr factor);
std::pair<IterVar, IterVar> Split(Stage& stage, const IterVar& axis, int64_t factor);
// {outer, inner}; extents nparts and ceildiv(extent, nparts).
std::pair<IterVar, IterVar> SplitParts(Stage& stage, const IterVar& axis, Expr nparts);
std::pair<IterVar, IterVar> SplitParts(Stage& stage, const IterVar& axis, int64_t nparts);

}  // namespace lathe::schedule
