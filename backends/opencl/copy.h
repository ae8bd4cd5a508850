// Copies between host memory, buffers and images, strided or not.
#pragma once

#include "lathe/abi/dlpack.h"

namespace lathe::opencl_backend {

// Elements of `from` to `to`, of one shape and type; at least one of them is on an OpenCL device.
// With the host as one side all is done on return. Throws what ClDevice::Check does, and
// "opencl-copy-unsupported" (LATHE_UNIMPLEMENTED) for strided tensors of elements of less than a
// byte, and of images.
void CopyTensor(const DLTensor& from, const DLTensor& to, void* stream);

}  // namespace lathe::opencl_backend
