// set_store_predicate: elements are stored only where a condition holds.
//
//   for i: B[i] = ...       -->       for i: if p: B[i] = ...
//
// For stages that several threads compute the same elements of, where one of them is to store them.
// That every element of the region that readers are inferred to need is stored by somebody is a
// claim that is trusted: where it is false, results change (S51). The checked build verifies it.
// Unlike a bound guard the condition is not marked likely (S3).
//
// `predicate` is a scalar bool over the variables of the stage's axes: those of the operation are
// elements' positions, those of loops count from 0; a thread axis's variable stands for the loop
// bound to it. A reduction's initial values are stored where the predicate holds, or everywhere if
// it speaks of reduction loops. A second predicate replaces the first.
// Reductions over threads are refused when lowering: which threads store is part of them.
// Errors: schedule-predicate-refused.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void SetStorePredicate(Stage& stage, Expr predicate);

}  // namespace lathe::schedule
