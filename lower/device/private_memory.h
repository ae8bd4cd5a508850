// Memory that every thread has for itself is reduced to the part that one thread uses (S45).
//
//   allocate L: float32[64] in local                  allocate L: float32[2] in local
//   for i in range(2): L[tx * 2 + i] = ...     -->    for i in range(2): L[i] = ...
//
// A dimension shrinks if every index is the same multiple of one thread's index plus a smaller
// number. A view of such memory (an operand of a tensor intrinsic) is adapted if it covers whole
// inner dimensions; these then stay.
//
// A thread must read only elements of such memory that it stored itself. When the loops run in
// order, it might read what another iteration of a thread loop stored; in a kernel that memory
// would not have been written. If this is not proved: Error private-memory-shared. Internal to
// lower/.
#pragma once

#include <unordered_set>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

// `indices` are the kernel's; `analyzer` must know their ranges. `divided` has the data variables
// of buffers that thread loops filled, each index its own part.
ir::Stmt ShrinkPrivateMemory(const ir::Stmt& kernel, const std::vector<ir::Var>& indices,
                             const std::unordered_set<const ir::Node*>& divided,
                             arith::Analyzer* analyzer);

}  // namespace lathe::lower
