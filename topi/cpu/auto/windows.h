// Chains of stencils: maps that read several rows of an earlier stage.
//
//   blur[i, j] = x[i, j] + ... + x[i + 2, j + 2];   y[i, j] = blur[i, j] + ... + blur[i + 2, j + 2]
//
// All stages are computed row by row with the last one. Each stage keeps as many rows as later rows
// still read (rolling_buffer).
#pragma once

#include <vector>

#include "topi/cpu/auto/stages.h"

namespace lathe::topi::cpu {

// Is this a map of two or more axes, whose last two are long enough for strips and vectors?
bool IsPlane(const Facts& facts, const target::Machine& machine);
// May `facts` be computed row by row with `reader`, a member of the chain or its last stage? Both
// must have the same leading axes, and `access` must read at constant distances.
bool IsWindowOf(const Facts& facts, const Facts& reader, const Access& access);

// Is it worth computing the chain in windows? Yes if some member is read at several rows and does
// not fit into the second-level cache as a whole, unless strips would compute too many rows twice.
// `members` are all other stages of the chain, inlined ones too; each comes before its readers.
bool WorthWindows(const StageWork& root, const std::vector<StageWork>& members);
void ScheduleWindows(const StageWork& root, const std::vector<StageWork>& members);

}  // namespace lathe::topi::cpu
