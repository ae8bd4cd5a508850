// Virtual threads become interleaved copies within each thread.
//
//   for v on vthread in range(2):               allocate L: float32[2, 4] in local
//     allocate L: float32[4] in local           for k in range(n):
//     for k in range(n):                          allocate S: float32[8] in shared
//       allocate S: float32[8] in shared   -->    for i: S[i] = A[k, i]
//       for i: S[i] = A[k, i]                     unrolled for v in range(2):
//       for j: L[j] = L[j] + S[v * 4 + j]           for j: L[v, j] = L[v, j] + S[v * 4 + j]
//
// Each statement that depends on the virtual thread stands in an unrolled loop over it, as far
// inside as it can; memory of one thread's own gets a dimension for it; what does not depend on it
// (a shared buffer, which holds what all of them need, S11) is done once. Two loops of tag vthread
// are two axes, unlike hardware's. Error: vthread-extent, where the extent is no small constant.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module VirtualThreads(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
