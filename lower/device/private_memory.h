// Memory that every thread has for itself, cut down to what one thread uses (S45).
//
//   allocate L: float32[64] in local                  allocate L: float32[2] in local
//   for i in range(2): L[tx * 2 + i] = ...     -->    for i in range(2): L[i] = ...
//
// A dimension shrinks where every index is the same multiple of one thread's index plus something
// smaller than that multiple. Internal to lower/.
#pragma once

#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

// `indices` are the kernel's; their ranges must be known to `analyzer`.
ir::Stmt ShrinkPrivateMemory(const ir::Stmt& kernel, const std::vector<ir::Var>& indices,
                             arith::Analyzer* analyzer);

}  // namespace lathe::lower
