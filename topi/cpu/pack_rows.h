// A block of rows element by element: what packing for dot products is made of.
#pragma once

#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// b[j, r] = a[r, j] for `rows` rows of `columns` elements, a's rows any distance apart, b compact: by
// loads, shuffles and one store. `rows` and `columns` are powers of two. Registered for all targets.
// Thread-safe.
te::TensorIntrin PackRowsIntrin(int64_t rows, int64_t columns, DataType dtype);

}  // namespace lathe::topi::cpu
