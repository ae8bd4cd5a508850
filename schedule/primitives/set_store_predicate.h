// set_store_predicate: elements are stored only where a condition holds.
//
//   for i: B[i] = ...       -->       for i: if p: B[i] = ...
//
// For stages of which several threads compute the same elements, so that only one of them stores.
// It is a trusted claim that some thread stores every element of the region that readers need: if
// the claim is false, results change (S51). The checked build verifies it. Unlike a bound guard,
// the condition is not marked likely (S3).
//
// `predicate` is a scalar bool over the variables of the stage's axes: variables of the operation's
// axes are positions of elements, variables of loops count from 0, and a thread axis's variable
// means the loop bound to it. A reduction's initial values are stored if the predicate holds, or
// always if it depends on reduction loops. A second predicate replaces the first. Reductions over
// threads are refused when lowering, because they decide themselves which threads store. Errors:
// schedule-predicate-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void SetStorePredicate(Stage& stage, Expr predicate);

}  // namespace lathe::schedule
