// A prefetch of a region becomes requests for its cache lines.
//
//   prefetch A[i + 1, 0:64]            -->   for line in [0, 4): prefetch A[i + 1, line * 16]
//   (float32)
//
// One request per row of the region and 64 bytes of it: what lies in the region's last dimension is
// near in memory, what does not is asked for by itself. The region lies within the buffer, as the
// schedule makes it; an empty one asks for nothing.
//
// At the stage `tile`, before flattening, which turns the places into offsets.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module LowerPrefetch(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
