// Chains of stencils: maps that read several rows of what is computed before.
//
//   blur[i, j] = x[i, j] + ... + x[i + 2, j + 2];   y[i, j] = blur[i, j] + ... + blur[i + 2, j + 2]
//
// All are computed row by row of the last one; each keeps as many rows as are still read
// (rolling_buffer).
#pragma once

#include <vector>

#include "topi/cpu/auto/stages.h"

namespace lathe::topi::cpu {

// A map of two axes and more whose last two are long enough for strips and vectors.
bool IsPlane(const Facts& facts, const target::Machine& machine);
// May it be computed row by row of `reader`, a member of the chain or its last one? Planes of the
// same leading axes, read at constant distances.
bool IsWindowOf(const Facts& facts, const Facts& reader, const Access& access);

// `members`: all of the chain's others, inlined ones too; what is read before its readers.
// Is something gained? Some member is read at several rows and does not stay in a cache as a whole.
bool WorthWindows(const StageWork& root, const std::vector<StageWork>& members);
void ScheduleWindows(const StageWork& root, const std::vector<StageWork>& members);

}  // namespace lathe::topi::cpu
