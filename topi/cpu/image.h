// Images with channels last: ops::RgbToYuv.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/image.h"

namespace lathe::topi::cpu {

// One vector of each channel at a time. Fastest if the number of pixels is a multiple of the
// machine's vectors.
void ScheduleRgbToYuv(const OperatorWork& work);

// args: x[pixels, 3], y. Throws what ops::RgbToYuv throws.
Kernel RgbToYuv(int64_t pixels, DataType dtype, const target::Machine& machine, Config config = {});

}  // namespace lathe::topi::cpu
