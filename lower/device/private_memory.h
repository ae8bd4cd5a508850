// Memory that every thread has for itself, cut down to what one thread uses (S45).
//
//   allocate L: float32[64] in local                  allocate L: float32[2] in local
//   for i in range(2): L[tx * 2 + i] = ...     -->    for i in range(2): L[i] = ...
//
// A dimension shrinks where every index is the same multiple of one thread's index plus something
// smaller than that multiple. A view of such memory (a tensor intrinsic's operand) goes along where
// it spans whole inner dimensions, which then stay.
//
// What a thread reads of such memory must be what it stored itself: with the loops in order, it
// might be what another iteration of a loop over threads stored, and a kernel would read memory
// that nothing was written to. Error private-memory-shared, where that is not proved. Internal to
// lower/.
#pragma once

#include <unordered_set>
#include <vector>

#include "arith/analyzer.h"
#include "ir/stmt.h"

namespace lathe::lower {

// `indices` are the kernel's; their ranges must be known to `analyzer`. `divided` are the data of
// buffers that loops over threads filled, each index its part.
ir::Stmt ShrinkPrivateMemory(const ir::Stmt& kernel, const std::vector<ir::Var>& indices,
                             const std::unordered_set<const ir::Node*>& divided,
                             arith::Analyzer* analyzer);

}  // namespace lathe::lower
