// Realize becomes Allocate: buffers shrink to the realised region, and their indices are rebased to
// it.
//
//   realize B[8*i : 8*i + 10]:              allocate B[10]:
//     B[8*i + j] = ...             -->        B[j] = ...
//     ... = B[8*i + j + 1]                    ... = B[j + 1]
//
// Why here: schedules and tensor intrinsics use logical coordinates; memory does not.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module CompactRealize(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
