// Convolutions of 8-bit integers over images in blocked layouts (nn.contrib_conv2d_nchwc_int8):
// conv2d.h's register tile, with the processor's dot products (dot_intrinsics.h) as its innermost
// step. Four channels of the input are one operand of it, a vector of output channels by the same
// four the other.
#pragma once

#include <string>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// Operands: data [batch, in/c, height, width, c], weight [out/b, in/c, window, c/4, b, 4]. Sums are
// exact. An epilogue is computed on the register tiles.
void ScheduleDotConv2d(const OperatorWork& work);
// "" if this machine has a dot product for the operands and the block, else the reason why not.
std::string WhyNotDotConv2d(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
