// Constants of kernels in the memory of devices.
#pragma once

#include "runtime/function.h"

namespace lathe::runtime {

// A new function LATHE_DEVICE_CONSTANT (abi/kernel.h) for one artefact. It owns the copies, which
// are freed with the last reference to the function. Thread-safe. A call that makes a copy returns
// when the copy is complete, so that work on any stream may use it. Fails with the statuses of the
// device's allocation and copy; the next call tries again.
Function MakeDeviceConstants();

}  // namespace lathe::runtime
