// Asynchronous copies on the host.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Functions of the host have nothing that copies beside them: async_copy copies where it stands,
// async_commit and async_wait are done at once. Kernels are left alone.
ir::Module LowerHostCopies(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
