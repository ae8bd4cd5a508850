// Pictures whose channels lie side by side: taken apart into planes, computed by planes, and put
// together again.
//
//   planes[c, p] = x[p, c];  ... maps over [c, p] and [p] ...;  y[p, c] = planes[c, p]
//
// All of it is computed for a vector of pixels at a time; the copies at both ends are tensor
// intrinsics (interleave.h).
#pragma once

#include <vector>

#include "topi/cpu/auto/stages.h"

namespace lathe::topi::cpu {

// y[p, c] = planes[c, p] for 2 to 4 channels and whole vectors of pixels?
bool IsInterleaving(const Facts& facts, const target::Machine& machine);
// May it be computed for pieces of `reader`'s pixels, a member of the group or its root? A map over
// [p] or [c, p] for as many pixels, few c, that `access` reads at the reader's own pixel.
bool IsPlanes(const Facts& facts, const Facts& reader, const Access& access);

// `root` is interleaving; `members` are all of the group's others, what is read before its readers.
void SchedulePixels(const StageWork& root, const std::vector<StageWork>& members);

}  // namespace lathe::topi::cpu
