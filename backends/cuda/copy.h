// Copies between tensors of which at least one lies on a device.
#pragma once

#include <cuda.h>

#include "lathe/abi/dlpack.h"

namespace lathe::cuda {

// Within one device, or between it and the host, any strides are allowed; between devices only
// compact tensors (others throw LATHE_UNIMPLEMENTED, `device-unsupported`). The copy is queued
// on `stream`, which belongs to the destination, or to the source if the destination is the host.
// If one side is the host, the copy is complete when the function returns.
void CopyTensor(const DLTensor& from, const DLTensor& to, CUstream stream);

}  // namespace lathe::cuda
