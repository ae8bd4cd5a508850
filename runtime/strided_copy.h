// Elementwise copy between two layouts of host memory.
#pragma once

#include <cstdint>

#include "lathe/abi/value.h"

namespace lathe::runtime {

// Copies every element of `from` to its place in `to`. Shapes and dtypes are equal, both lie in
// memory that this processor may touch, and they do not overlap (or are the same compact block).
// Strides may be 0 or negative in `from`.
void CopyStridedHost(const DLTensor& from, const DLTensor& to);

// First byte of a view in host memory.
inline char* HostBytes(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

}  // namespace lathe::runtime
