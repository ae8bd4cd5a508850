// auto_inline_*: inlines every stage whose operation is tagged as cheap to compute again.
//
//   B[i] = A[i] + 1        tag="elemwise"
//   C[i] = B[i] * 2                              -->    C[i] = (A[i] + 1) * 2
//
// This is one compute_inline per stage, recorded in this form; the tags are those of te/tags.h.
// These stages are not changed: stages that cannot be inlined (outputs, reductions, several
// outputs, S48), stages at which another one is computed, and stages that an operation other than a
// compute reads. Errors: none.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The inlined stages, in order.
std::vector<Stage*> AutoInlineElementwise(Schedule& schedule);
// Inlines elementwise stages, too.
std::vector<Stage*> AutoInlineBroadcast(Schedule& schedule);
// Inlines elementwise and broadcasting stages, too.
std::vector<Stage*> AutoInlineInjective(Schedule& schedule);

}  // namespace lathe::schedule
