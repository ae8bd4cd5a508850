// Images with channels last, as decoders give them.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include "te/operation.h"

namespace lathe::topi::ops {

// Red, green, blue to luma and two differences of colour, both arrays [pixels, 3].
//
//   float32   y = 0.299 r + 0.587 g + 0.114 b, u = 0.492 (b - y) + 0.5, v = 0.877 (r - y) + 0.5
//   uint8     the same with an offset of 128, in integers: coefficients in units of 2^-14, rounded
//             to nearest, limited to 0 ... 255
//
// (ITU-R BT.601 luma; the conversion that OpenCV calls COLOR_RGB2YUV, bit for bit in uint8.)
// Throws `topi-image-type` for other types.
te::Tensor RgbToYuv(const te::Tensor& x);

}  // namespace lathe::topi::ops
