#include "tests/device/on_device.h"

namespace lathe::device_tests {

// The tests bring PoCL along.
const TestedDevice kTested = {"opencl", /*may_be_missing=*/false, /*has_images=*/true};

}  // namespace lathe::device_tests
