// A block of elements transposed in registers, so that each line of memory is touched once: what
// matters where a row's stride is a power of two.
//
// "Recursive transposition": J. O. Eklundh, "A fast computer method for matrix transposing", 1972.
// Written as loads, shuffles and stores of plain IR.
#pragma once

#include <cstdint>

#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// b[i, j] = a[j, i] for lanes x lanes elements (a power of two), whose rows are contiguous and any
// distance apart. Registered for all targets as "transpose_<lanes>x<lanes>_<dtype>". Thread-safe.
te::TensorIntrin TransposeBlock(int64_t lanes, DataType dtype);

}  // namespace lathe::topi::cpu
