// Kernels that the device cannot run are refused before code is made for them (S44).
//
// Looks at kernels (lower/device/split_device.h) with the machine in PassContext::device: threads
// of a block, extents of axes, shared memory of a block, widths of vectors, and whether there are
// such axes and scopes at all. Extents that are not constant are checked by the host before the
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
