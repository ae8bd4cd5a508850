#include "tests/device/on_device.h"

namespace lathe::device_tests {

const TestedDevice kTested = {"cuda", /*may_be_missing=*/true, /*has_images=*/false};

}  // namespace lathe::device_tests
