// Convolutions over images in blocked layouts, with square windows and the same padding on all
// sides. Operands that do not fit throw Error "topi-operand" (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

struct Window {
  int64_t stride = 1, padding = 0;
};

// Takes data [batch, in/c, height, width, c] and weight [out/b, in/c, kernel, kernel, c, b].
// Returns [batch, out/b, out height, out width, b]. Padding copies the input into a frame of zeros.
te::Tensor Conv2dNCHWc(const te::Tensor& data, const te::Tensor& weight, const Window& window);

// One filter per channel. `weight` is [in/c, kernel, kernel, c]. The result has the layout of
// `data`.
te::Tensor DepthwiseConv2dNCHWc(const te::Tensor& data, const te::Tensor& weight,
                                const Window& window);

}  // namespace lathe::topi::ops
