// Checks that the host code of a device function does not access the device's memory.
//
//   for i in range(n): C[i] = A[i] + B[i]      -->  Error unbound-device-loop: did you forget to
//                                                   bind?   (S43)
//
// In the functions from which a device target's host code is made, every access of a tensor must be
// within a kernel, that is a thread loop. Memory that threads share must be allocated within a
// kernel, and global memory outside: Error memory-misplaced. Within a kernel no loop is parallel:
// Error parallel-in-kernel. Changes nothing. Runs before lower/device/split_device.h.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module VerifyMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
