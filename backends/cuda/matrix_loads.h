// Operands of mma.sync in shared memory: ldmatrix loads eight rows of 16 bytes at once, which must
// begin at multiples of 16 bytes.
//
// A lane's call has the addresses of its own rows and columns (mma.h). Where it is known for every
// thread of the block that the warp's tile begins at such a multiple and rows lie a multiple of 16
// bytes apart, the call says so, and there is nothing to look at when the kernel runs: the loads of
// one call may then begin while the products of the one before are computed.
#pragma once

#include "ir/module.h"

namespace lathe::cuda {

// The kernel with lathe_mma_* on shared memory as lathe_mma_*<true>, which may load by ldmatrix,
// and of larger tiles as lathe_mma_*<true, true> where it is known to.
ir::Func WithMatrixLoads(const ir::Func& kernel);

}  // namespace lathe::cuda
