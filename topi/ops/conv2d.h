// Convolutions over images in blocked layouts: square windows, padding the same on all sides.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

struct Window {
  int64_t stride = 1, padding = 0;
};

// data [batch, in/c, height, width, c], weight [out/b, in/c, kernel, kernel, c, b]; gives [batch,
// out/b, out height, out width, b]. Padding is a copy of the input with a frame of zeros.
te::Tensor Conv2dNCHWc(const te::Tensor& data, const te::Tensor& weight, const Window& window);

// One filter per channel: weight [in/c, kernel, kernel, c]; the result is like data.
te::Tensor DepthwiseConv2dNCHWc(const te::Tensor& data, const te::Tensor& weight,
                                const Window& window);

}  // namespace lathe::topi::ops
