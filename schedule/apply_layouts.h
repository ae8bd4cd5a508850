// Buffers in the layout that a schedule gives them.
//
//   realize B: float32[64] bounds [range(16*i, extent=16)]        realize B: float32[4, 16]
//     B[16*i + j] = ...                                    -->      bounds [range(i, extent=1),
//     range(16)]
//                                                                   B[(16*i + j) // 16, ...] = ...
//
// The last step of making a loop nest: everything before it speaks of the tensors' own indices.
#pragma once

#include <unordered_map>

#include "ir/stmt.h"
#include "schedule/index_map.h"

namespace lathe::schedule {

struct Layout {
  ir::Buffer physical;
  IndexMap map;
};
using Layouts = std::unordered_map<const ir::Node*, Layout>;  // by the buffer of the tensor's shape

// `body` with every use of those buffers replaced.
ir::Stmt ApplyLayouts(const ir::Stmt& body, const Layouts& layouts);

}  // namespace lathe::schedule
