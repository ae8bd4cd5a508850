// reorder: the named loops are permuted among the positions that they have.
//
//   for i: for j: for k: ...    --reorder(k, i)-->    for k: for j: for i: ...
//
// Precondition: the axes are leaves, each named once. Reduction loops may move anywhere: the
// initialisation follows them (S12). Errors: schedule-not-a-leaf, schedule-duplicate-axis.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

void Reorder(Stage& stage, const std::vector<IterVar>& axes);

}  // namespace lathe::schedule
