// Asynchronous copies on the host.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// The host has no asynchronous copy engine: in host functions async_copy copies at once, and
// async_commit and async_wait do nothing. Kernels are unchanged.
ir::Module LowerHostCopies(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
