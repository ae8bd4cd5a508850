// Transposes a block of elements in registers, so that each cache line is touched once. That
// matters if the stride of a row is a power of two.
//
// The algorithm is recursive transposition: J. O. Eklundh, "A fast computer method for matrix
// transposing", 1972. Written as loads, shuffles and stores of plain IR.
#pragma once

#include <cstdint>

#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// b[i, j] = a[j, i] for lanes x lanes elements (a power of two). Rows are contiguous and may be any
// distance apart. Registered for all targets as "transpose_<lanes>x<lanes>_<dtype>". Thread-safe.
te::TensorIntrin TransposeBlock(int64_t lanes, DataType dtype);

}  // namespace lathe::topi::cpu
