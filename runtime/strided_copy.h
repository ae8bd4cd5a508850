// Elementwise copy between two layouts of host memory.
#pragma once

#include <cstdint>

#include "lathe/abi/value.h"

namespace lathe::runtime {

// Copies every element of `from` to its place in `to`. Shapes and dtypes must be equal; both
// tensors are in memory that this processor can access, and do not overlap (or are the same
// compact block). Strides of `from` may be 0 or negative.
void CopyStridedHost(const DLTensor& from, const DLTensor& to);

// The first byte of a view in host memory.
inline char* HostBytes(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

}  // namespace lathe::runtime
