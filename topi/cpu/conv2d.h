// Convolutions over images in blocked layouts: ops::Conv2dNCHWc, ops::DepthwiseConv2dNCHWc.
//
// A register tile, several output columns by one block of output channels, is summed up over the
// input channels and the window. The weights of a block are stored in the order in which they are
// read.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/conv2d.h"

namespace lathe::topi::cpu {

struct Conv2dShape {
  int64_t batch = 1, in_channels = 1, height = 1, width = 1, out_channels = 1;
  int64_t kernel = 1, stride = 1, padding = 0;  // square windows, the same on all sides
  int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
};

// Blocks of channels must be whole vectors. An epilogue is computed on the register tiles.
void ScheduleConv2dNCHWc(const OperatorWork& work);
void ScheduleDepthwiseConv2dNCHWc(const OperatorWork& work);

// For float32. With c = Lanes(float32) and b = ConvBlock, the args are data [batch, in/c, height,
// width, c], weight [out/b, in/c, kernel, kernel, c, b] and output [batch, out/b, out height, out
// width, b]. The blocks must divide the numbers of channels (Error "topi-channels").
Kernel Conv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine, Config config = {});
// The number of output channels in a block.
int64_t ConvBlock(int64_t out_channels, const target::Machine& machine);

// One filter per channel; `out_channels` is ignored. args: data [batch, in/c, height, width, c],
// weight [in/c, kernel, kernel, c], output with the layout of data.
Kernel DepthwiseConv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine,
                            Config config = {});

}  // namespace lathe::topi::cpu
