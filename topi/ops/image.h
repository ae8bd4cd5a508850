// Operators on images with channels last, the layout that image decoders give. Operands that do not
// fit throw Error "topi-operand" (operands.h).
#pragma once

#include "te/operation.h"

namespace lathe::topi::ops {

// Converts red, green, blue to luma and two colour differences. Both arrays are [pixels, 3].
//
//   float32   y = 0.299 r + 0.587 g + 0.114 b, u = 0.492 (b - y) + 0.5, v = 0.877 (r - y) + 0.5
//   uint8     the same with an offset of 128, in integers: coefficients in units of 2^-14, rounded
//             to nearest, limited to 0 ... 255
//
// Luma is that of ITU-R BT.601. OpenCV calls this conversion COLOR_RGB2YUV; the uint8 results are
// the same bit for bit. Throws `topi-image-type` for other types.
te::Tensor RgbToYuv(const te::Tensor& x);

}  // namespace lathe::topi::ops
