// Panels: copies of an operand in the order in which the vectors of a product read it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/schedule.h"
#include "topi/cpu/auto/access.h"

namespace lathe::topi::cpu {

// The dimension of an operand that the vector axis runs along, in steps of `stride`.
struct PanelAxis {
  size_t dimension;
  int64_t stride;
};
// Of the access with number `operand`, for vectors along the compute's axis `vector_axis`. Nothing
// if there is no such dimension (a diagonal, a table of indices), or if the operand is read in
// another place, too: a panel does not help.
std::optional<PanelAxis> PanelAxisOf(const ir::ComputeOp& compute,
                                     const std::vector<Access>& accesses, size_t operand,
                                     size_t vector_axis);

// Copies what `reader` reads of the operand at loop `axis` of stage `at` (null: all of it at the
// root), in vectors of `lanes`. In the panel the dimension of the vector axis is the last one, and
// elements that are `stride` apart in the operand lie side by side:
//
//   B[2 * j, k]  -->  panel[k, j % 2, j // 2]
//
// Throws what the primitives throw.
ir::Tensor CopyPanel(schedule::Schedule& s, const ir::Tensor& operand, const ir::Op& reader,
                     schedule::Stage* at, const ir::IterVar& axis, const PanelAxis& along,
                     int64_t lanes);

}  // namespace lathe::topi::cpu
