// Memory of scope warp is distributed over the lanes' own memory and read by shuffles.
//
//   allocate W: float32[64] in warp                  allocate W: float32[2] in local
//   for i in range(2):                               for i in range(2):
//     W[i * 32 + tx] = A[i * 32 + tx]        -->       W[i] = A[i * 32 + tx]
//   C[tx] = W[32 + (31 - tx)]                        C[tx] = warp_shuffle(mask, W[1], 31 - tx, 32)
//
// Lane l keeps what it stores: along one dimension, the elements e with e // c % lanes == l, where
// c is the distance between the elements of neighbouring lanes. A load of the lane's own elements
// stays a load. Any other load is a shuffle from the lane that has the element. That lane gives one
// value to all, so the place within a lane must not depend on the lane that reads. Shuffles come
// before conditions, on which lanes may differ (S18), and memory that a lane may not have stored to
// is zeroed first.
//
// For kernels after lower/device/thread_axes.h, on devices with warps (the limit warp_size) whose
// lanes are all of threadIdx.x. Errors: warp-memory-extent, if they are not; warp-memory-access, if
// stores or loads do not have this form.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module LowerWarpMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
