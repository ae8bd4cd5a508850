// Convolutions of 3x3 by Winograd's algorithm over images in blocked layouts
// (nn.contrib_conv2d_winograd_nchwc).
//
// The images are cut into strips of some rows of tiles. The transformed data of a strip and its
// products stay in a near cache: they are nine times as many as the data. If there are fewer strips
// than threads, each step is computed for all images by all threads.
#pragma once

#include <string>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// An epilogue is computed on the results of each tile.
void ScheduleWinograd(const OperatorWork& work);
// "" if the blocks of channels of data and result are whole vectors, else that they are not.
std::string WhyNotWinograd(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
