// Refuses kernels that the device cannot run, before code is made for them (S44).
//
// Compares kernels (lower/device/split_device.h) with the machine in PassContext::device: threads
// of a block, extents of axes, shared memory of a block, widths of vectors, and whether the axes
// and scopes exist. If extents are not constant, the host checks them before the launch:
// launch:
//
//   call_packed("f_kernel0", ..., m, 0)    -->    assert m <= 1024, "device-limit", ...
//                                                 call_packed("f_kernel0", ..., m, 0)
//
// Limits by name: max_threads_per_block, max_shared_memory_per_block, max_vector_bytes. Errors:
// device-limit, naming limit, value and bound; device-axis, device-scope.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module CheckDeviceLimits(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
