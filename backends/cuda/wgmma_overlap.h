// Overlaps the wgmma of one step of k with the next step's.
//
// In the IR, a call of lathe_wgmma_* is complete when it returns. A loop that `pipeline` made, with
// TMA loads (tensor_memory.h),
//
//   for k { async_wait(w); barrier; load block k + ahead; async_commit; wgmma on block k }
//
// would leave the tensor cores idle from the end of one call until all threads have met and the
// next call has begun. It becomes
//
//   for k { async_wait(w); begin wgmma on block k; wait for the wgmma of step k - 1; barrier;
//           load block k + ahead; async_commit }
//
// and waits for the remaining calls after the loop. The loads overwrite the block of step k - 1. At
// the barrier, all threads are done with that block. As in the original loop, no call reads a block
// that loads are filling. The waits are on mbarriers, and every thread waits by itself: the data
// that TMA brought is visible to it without a barrier.
//
// Only loops that do nothing else are changed; in all other loops each call waits for its own
// products.
#pragma once

#include "ir/module.h"

namespace lathe::cuda {

// `body` is the body of a kernel after WithTensorMaps.
ir::Stmt OverlapWgmma(const ir::Stmt& body);

}  // namespace lathe::cuda
