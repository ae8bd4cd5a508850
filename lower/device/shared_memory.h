// Puts the dynamic shared memory of a kernel into one allocation. Buffers that are not alive at the
// same time share bytes.
//
//   for tx on threadIdx.x:                        for tx on threadIdx.x:
//     allocate S: float32[64] in shared.dyn         allocate M: uint8[384] in shared.dyn
//     ...                                           decl_buffer S: float32[64] = M.data  (offset 0)
//     allocate T: float32[32] in shared.dyn  -->    decl_buffer T: float32[32] = M.data  (offset
//     64)
//     ...
//
// "shared.dyn" buffers, and "shared" ones whose size is not constant, become dynamic: a launch
// states the number of bytes (S40), which is the maximum over all blocks and iterations. Buffers of
// constant size come first, each at the lowest offset at which it overlaps no buffer alive at the
// same time; the others follow one after the other. A buffer is alive from its first to its last
// access, and during the whole of any loop within its allocation that uses it. Barriers are
// inserted later (lower/device/barriers.h) and take the overlap into account. For kernels after
// lower/device/thread_axes.h. Error: shared-memory-size, if a size is not known before the kernel
// starts.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module MergeSharedMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
