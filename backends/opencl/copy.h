// Copies between host memory, buffers and images, strided or not.
#pragma once

#include "lathe/abi/dlpack.h"

namespace lathe::opencl_backend {

// Copies the elements of `from` to `to`, which have the same shape and type; at least one of them
// is on an OpenCL device. If one side is the host, the copy is complete on return. Throws the
// errors of ClDevice::Check, and "opencl-copy-unsupported" (LATHE_UNIMPLEMENTED) for strided
// tensors of images or of elements of less than a byte.
void CopyTensor(const DLTensor& from, const DLTensor& to, void* stream);

}  // namespace lathe::opencl_backend
