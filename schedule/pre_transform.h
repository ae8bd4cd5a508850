// Copies of arguments that are made once, before all calls, instead of in each.
//
//   B.global = cache_read(B)                      transform_layout(B, (d1 // 16, d0, d1 % 16))
//   transform_layout(B.global, (d1 // 16, ...))   --> the parameter `B` is float32[N // 16, K, 16]
//
// For weights, which are the same in many calls (te/layout_free.h).
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The same schedule, but an argument of `layout_free` that it copies as a whole in another layout
// (cache_read and transform_layout of a stage at the root) has that layout itself. What has no such
// copy stays as it is; of several copies of an argument the first one counts. `transformed` gets
// the arguments that changed, unless null: what the caller passes for them must be in the layout
// (driver/relayout.h). Does not change `schedule`. Throws what replaying its trace throws.
// Thread-safe.
Schedule PreTransform(const Schedule& schedule, const std::vector<Tensor>& layout_free,
                      std::vector<Tensor>* transformed = nullptr);

}  // namespace lathe::schedule
