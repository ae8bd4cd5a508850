// The dynamic shared memory of a kernel in one allocation, in which buffers that are not alive at
// once share bytes.
//
//   for tx on threadIdx.x:                        for tx on threadIdx.x:
//     allocate S: float32[64] in shared.dyn         allocate M: uint8[384] in shared.dyn
//     ...                                           decl_buffer S: float32[64] = M.data  (offset 0)
//     allocate T: float32[32] in shared.dyn  -->    decl_buffer T: float32[32] = M.data  (offset
//     64)
//     ...
//
// "shared.dyn" buffers, and "shared" ones whose size is not constant, become dynamic: a launch says
// how many bytes (S40), which is the most that any block or iteration needs. Those of constant size
// come first, each at the lowest offset where nothing that is alive with it lies; the others follow
// one after the other. A buffer is alive from its first to its last access, through the whole of
// any loop within its allocation that uses it. Barriers are inserted later
// (lower/device/barriers.h) and know of the overlap. For kernels after lower/device/thread_axes.h.
// Error: shared-memory-size, where a size is not known before the kernel starts.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module MergeSharedMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
