// A prefetch of a region becomes requests for its cache lines.
//
//   prefetch A[i + 1, 0:64]            -->   for line in [0, 4): prefetch A[i + 1, line * 16]
//   (float32)
//
// One request for each 64 bytes of each row of the region: elements along the last dimension are
// near each other in memory, those along other dimensions are not. The region is within the buffer,
// as the schedule guarantees; an empty one requests nothing.
//
// Runs at stage `tile`, before flattening, which turns the indices into offsets.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module LowerPrefetch(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
