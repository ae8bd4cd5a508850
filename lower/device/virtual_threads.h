// Virtual threads become interleaved copies within each thread.
//
//   for v on vthread in range(2):               allocate L: float32[2, 4] in local
//     allocate L: float32[4] in local           for k in range(n):
//     for k in range(n):                          allocate S: float32[8] in shared
//       allocate S: float32[8] in shared   -->    for i: S[i] = A[k, i]
//       for i: S[i] = A[k, i]                     unrolled for v in range(2):
//       for j: L[j] = L[j] + S[v * 4 + j]           for j: L[v, j] = L[v, j] + S[v * 4 + j]
//
// Each statement that depends on the virtual thread is put into an unrolled loop over it, as far
// inside as possible; memory of one thread gets a dimension for it. Statements that do not depend
// on it run once (such as those that fill a shared buffer, which has the data for all, S11). Two
// loops of tag vthread are two axes, unlike hardware axes. Error: vthread-extent, if the extent is
// not a small constant.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module VirtualThreads(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
