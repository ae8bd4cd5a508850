// Nothing of a device function touches the device's memory from the host.
//
//   for i in range(n): C[i] = A[i] + B[i]      -->  Error unbound-device-loop: did you forget to
//                                                   bind?   (S43)
//
// Of the functions that a device target's host code is made from, every access of a tensor must lie
// within a kernel, that is a thread loop. Memory that threads share must be allocated within a
// kernel, and global memory outside: Error memory-misplaced. Changes nothing. Runs before
// lower/device/split_device.h.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module VerifyMemory(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
