// Images with interleaved channels: they are split into planes, computed plane by plane, and
// interleaved again.
//
//   planes[c, p] = x[p, c];  ... maps over [c, p] and [p] ...;  y[p, c] = planes[c, p]
//
// All of it is computed for one vector of pixels at a time. The copies at both ends are tensor
// intrinsics (interleave.h).
#pragma once

#include <vector>

#include "topi/cpu/auto/stages.h"

namespace lathe::topi::cpu {

// Is this y[p, c] = planes[c, p] with 2 to 4 channels and a number of pixels that fills whole
// vectors?
bool IsInterleaving(const Facts& facts, const target::Machine& machine);
// May `facts` be computed in pieces of the pixels of `reader`, which is a member of the group or
// its root? It must be a map over [p] or [c, p] with as many pixels and few channels, which
// `access` reads at the reader's own pixel.
bool IsPlanes(const Facts& facts, const Facts& reader, const Access& access);

// `root` interleaves. `members` are all other stages of the group; each comes before its readers.
void SchedulePixels(const StageWork& root, const std::vector<StageWork>& members);

}  // namespace lathe::topi::cpu
