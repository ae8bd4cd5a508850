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
// Where the device has warps (its limit warp_size), and the reduction goes over all of threadIdx.x
// and is reached by all threads, neighbouring lanes exchange their parts first, and one value of
// each warp goes into the tree (S18): no shuffle stands under a condition, the mask names the lanes
// there are, and all values are loaded before any is stored.
//
// The first step brings an extent that is no power of two down to one (S19); threads whose part is
// out of range hold the identity (S17). R has a dimension for every other thread axis around, so
// that their reductions do not meet. Without shuffles what comes out is still loops one after the
// other, with the meaning they have in order; lower/device/thread_axes.h and
// lower/device/barriers.h make threads and barriers of it, those before R is used again included
// (S18). Where the mark encloses no thread loop of more than one iteration it is dropped. Error:
// allreduce-extent, where the number of threads is not constant.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Allreduce(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
