// Copies between tensors of which at least one lies on a device.
#pragma once

#include <cuda.h>

#include "lathe/abi/dlpack.h"

namespace lathe::cuda {

// Any strides within one device or between it and the host; between devices only compact blocks
// (others throw LATHE_UNIMPLEMENTED, `device-unsupported`). Queued on `stream` of the destination
// (of the source where the destination is the host); done on return where the host is one side.
void CopyTensor(const DLTensor& from, const DLTensor& to, CUstream stream);

}  // namespace lathe::cuda
