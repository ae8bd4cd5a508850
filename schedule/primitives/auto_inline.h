// auto_inline_*: inlines every stage whose operation is tagged as cheap to compute again.
//
//   B[i] = A[i] + 1        tag="elemwise"
//   C[i] = B[i] * 2                              -->    C[i] = (A[i] + 1) * 2
//
// One compute_inline per stage, recorded as such; the tags are those of te/tags.h. Stages that
// cannot be inlined (outputs, reductions, several outputs, S48), that something else is computed
// at, or that are read by anything but a compute stay as they are. Errors: none.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The stages that were inlined, in order.
std::vector<Stage*> AutoInlineElementwise(Schedule& schedule);
// Elementwise ones too.
std::vector<Stage*> AutoInlineBroadcast(Schedule& schedule);
// Elementwise and broadcasting ones too.
std::vector<Stage*> AutoInlineInjective(Schedule& schedule);

}  // namespace lathe::schedule
