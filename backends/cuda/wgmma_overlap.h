// Loops over steps of k whose wgmma runs on while the next step's begins.
//
// In the IR a call of lathe_wgmma_* is done when it returns. A loop that `pipeline` made, with TMA
// loads (tensor_memory.h),
//
//   for k { async_wait(w); barrier; load block k + ahead; async_commit; wgmma on block k }
//
// would leave the tensor cores idle from one call's end until all threads met and the next call
// began. It becomes
//
//   for k { async_wait(w); begin wgmma on block k; wait for the wgmma of step k - 1; barrier;
//           load block k + ahead; async_commit }
//
// and waits for what is left after the loop. The loads overwrite the block of step k - 1, which all
// threads are done with at the barrier, and no call reads a block that loads are filling: that
// holds in the loop as it was. The waits are on mbarriers, which every thread looks at itself: what
// TMA brought is visible to it without a barrier.
//
// Only loops that do nothing else are changed; in all others each call waits for its own products.
#pragma once

#include "ir/module.h"

namespace lathe::cuda {

// `body` of a kernel after WithTensorMaps.
ir::Stmt OverlapWgmma(const ir::Stmt& body);

}  // namespace lathe::cuda
