// Reductions over threads, as schedule/emit_allreduce.cc marks them, become a tree over shared
// memory.
//
//   attr "cross_thread_reduction":                 allocate R: float32[24] in shared
//     B[i] = 0                                     for k on threadIdx.x in range(24):
//     for k on threadIdx.x in range(24):             allocate part ...
//       allocate part: float32[1] in local           R[k] = part[0]
//       ...                                  -->   for k on threadIdx.x in range(8):
//       attr "cross_thread_combine":                 R[k] = R[k] + R[k + 16]
//         B[i] = B[i] + part[0]                    for k on threadIdx.x in range(8): (8, 4, 2, 1)
//                                                    R[k] = R[k] + R[k + 8]
//                                                  ...
//                                                  B[i] = R[0]
//
// If the device has warps (its limit warp_size), and the reduction covers all of threadIdx.x and
// all threads reach it, neighbouring lanes exchange their parts first, and one value per warp goes
// into the tree (S18). No shuffle is under a condition, the mask names the lanes that exist, and
// all values are loaded before any is stored.
//
// If the extent is not a power of two, the first step reduces it to one (S19); threads whose part
// is out of range hold the identity (S17). R has a dimension for every other thread axis around it,
// so that their reductions use separate memory. Without shuffles, the result is still loops that
// may run in order; lower/device/thread_axes.h and lower/device/barriers.h make threads and
// barriers of them, including the barriers before R is used again (S18). A mark around no thread
// loop of more than one iteration is dropped. Error: allreduce-extent, if the number of threads is
// not constant.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Allreduce(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
