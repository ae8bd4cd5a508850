// Thread loops move to the top of their kernel: one per axis, around everything that runs there.
//
//   for bx on blockIdx.x in range(n // 32):          for bx on blockIdx.x in range(n // 32):
//     allocate S: float32[32] in shared                for tx on threadIdx.x in range(32):
//     for t on threadIdx.x in range(32):                 allocate S: float32[32] in shared
//       S[t] = A[bx * 32 + t]                   -->      S[tx] = A[bx * 32 + tx]
//     for u on threadIdx.x in range(16):                 if tx < 16:
//       C[bx * 32 + u] = S[u * 2]                          C[bx * 32 + tx] = S[tx * 2]
//
// A kernel is an outermost thread loop. Loops of one tag within it, siblings or nested, are one
// axis: its extent is their maximum (S40), and narrower loops become guards. Guards are inside
// statements that may need a barrier, so that barriers are outside the guards
// (lower/device/barriers.h). A statement writes shared memory once: if no loop over an axis is
// between a shared buffer's allocation and a store into it, only index 0 of that axis stores.
// Before this pass, a nested loop of an axis ran for every index of the outer one and computed the
// same again.
//
// A buffer that every thread has for itself, but that a loop over the threads filled, is reduced to
// the part that one thread uses (S45):
//
//   allocate L: float32[32] in local                  allocate L: float32[1] in local
//   for t on threadIdx.x: L[t] = ...          -->     L[0] = ...
//   for u on threadIdx.x: C[u] = L[u]                 C[tx] = L[0]
//
// Loops of tag vthread must be gone (lower/device/virtual_threads.h). From here on, the meaning of
// a kernel is that its threads run at the same time, and no longer that its loops run in order.
// Functions without thread loops are unchanged. Error: thread-axis-extent, if the extent of an axis
// is not known before its kernel starts.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module ThreadAxes(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
