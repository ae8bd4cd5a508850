// transform_layout: changes the order of a tensor's elements in memory.
//
//   realize B: float32[64, 30]            realize B: float32[4, 30, 16]
//   for i: for j:                 -->     for i: for j:
//     B[i, j] = ...                         B[i // 16, j, i % 16] = ...
//   ... = B[i, j]                         ... = B[i // 16, j, i % 16]
//
// The map gives the place of element (d0, d1, ...). Loops are unchanged and run over the tensor's
// own indices; split and reorder them to follow memory. All readers use the new layout. The memory
// has whole tiles: if 16 does not divide the extent, the rest of the last tile is never written nor
// read. A second map is applied to the places that the first one gives.
//
// For an argument, the function's parameter changes: the caller passes memory of the new shape. A
// size that no parameter's extent gives alone any more must become a separate argument.
//
// `separators` states where flattening starts a new dimension: none makes memory of rank 1, {2}
// makes rows of the indices from 2 on, as images have (BufferNode::axis_separators).
//
// Precondition: it is proved that the map takes different elements to different places, which are
// >= 0 and bounded (schedule/index_map.h describes the proof); the tensor is not a part or state of
// a scan. Errors: schedule-layout-refused, schedule-layout-not-injective,
// schedule-layout-separators; in the text form also text-*; when lowering schedule-layout-opaque,
// if an operation that is not a compute uses the memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

using LayoutMap = std::function<std::vector<Expr>(const std::vector<ir::Var>&)>;

void TransformLayout(Schedule& schedule, const Tensor& tensor, const LayoutMap& map,
                     const std::vector<int64_t>& separators = {});
// The map as text over d0, d1, ...: {"d0 // 16", "d1", "d0 % 16"}. It may use the names of the
// program's sizes.
void TransformLayout(Schedule& schedule, const Tensor& tensor, const std::vector<std::string>& map,
                     const std::vector<int64_t>& separators = {});

}  // namespace lathe::schedule
