// Products of narrow types with the right operand in panels (nn.contrib_dense_dot): the processor's
// dot products or tiles (dot_intrinsics.h) on a left operand that stays as it is.
//
// How: with tiles, a call computes up to 256 rows of a panel over all of k; its rows of the left
// operand stay in the second cache for all panels. With vectors, a tile of sums stays in registers
// while k runs. An epilogue is computed on the sums.
#pragma once

#include <string>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// Operands: data [..., m, k], weight [..., panels, k / g, columns, g], of which a batch of right
// operands has the same first dimensions as the data. Sums have the result's type.
// Knobs: dot_matmul.*.
void ScheduleDotMatmul(const OperatorWork& work);
// "" if this machine has a dot product for the operands and the panels, else the reason why not.
std::string WhyNotDotMatmul(const ir::Op& result, const target::Machine& machine);

// The right operand in panels (nn.contrib_dot_panels), interleaved in registers.
void ScheduleDotPanels(const OperatorWork& work);
std::string WhyNotDotPanels(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
