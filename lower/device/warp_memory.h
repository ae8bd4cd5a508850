// Memory of a warp lies in its lanes' own memory, and is read by shuffles.
//
//   allocate W: float32[64] in warp                  allocate W: float32[2] in local
//   for i in range(2):                               for i in range(2):
//     W[i * 32 + tx] = A[i * 32 + tx]        -->       W[i] = A[i * 32 + tx]
//   C[tx] = W[32 + (31 - tx)]                        C[tx] = warp_shuffle(mask, W[1], 31 - tx, 32)
//
// Lane l keeps what it stores: of one dimension those elements e with e // c % lanes == l, where c
// is how far apart neighbouring lanes store. A load from the lane's own elements is a load; any
// other asks the lane that has the element, which must answer with the same one of its own for all:
// the place within a lane may not depend on the lane that asks. Shuffles stand before conditions,
// which lanes may take differently (S18), and memory that a lane may not have stored to is zeroed
// first.
//
// For kernels after lower/device/thread_axes.h, on devices with warps (the limit warp_size) whose
// lanes are all of threadIdx.x. Errors: warp-memory-extent, where they are not; warp-memory-access,
// where stores or loads do not have this form.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module LowerWarpMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
