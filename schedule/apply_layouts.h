// Applies the layouts that a schedule gives to buffers.
//
//   realize B: float32[64] bounds [range(16*i, extent=16)]
//     B[16*i + j] = ...
//
//   -->
//
//   realize B: float32[4, 16] bounds [range(i, extent=1), range(16)]
//     B[(16*i + j) // 16, ...] = ...
//
// This is the last step of making a loop nest: everything before it uses the tensors' own indices.
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
