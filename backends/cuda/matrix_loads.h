// Chooses ldmatrix for operands of mma.sync in shared memory. ldmatrix loads eight rows of 16 bytes
// at once; each row must begin at a multiple of 16 bytes.
//
// Each lane's call has the addresses of its own rows and columns (mma.h). If it is known for every
// thread of the block that the warp's tile begins at such a multiple and that rows are a multiple
// of 16 bytes apart, the call says so, and the kernel needs no check at run time: the loads of one
// call may then start while the products of the call before are computed.
#pragma once

#include "ir/module.h"

namespace lathe::cuda {

// Returns the kernel with lathe_mma_* on shared memory replaced by lathe_mma_*<true>, which may
// load by ldmatrix; for larger tiles, if the addresses are known to fit, by lathe_mma_*<true,
// true>.
ir::Func WithMatrixLoads(const ir::Func& kernel);

}  // namespace lathe::cuda
