// A block of rows element by element: what packing for dot products is made of.
#pragma once

#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// b[j, r] = a[r, j] for `rows` rows of `columns` elements, a's rows any distance apart, b compact:
// by loads, shuffles and one store. `rows` and `columns` are powers of two. With `turned`, for int8
// only, b is uint8 and each element a's with its highest bit turned over (a + 128). Registered for
// all targets. Thread-safe.
te::TensorIntrin PackRowsIntrin(int64_t rows, int64_t columns, DataType dtype, bool turned);

// An int8 with its highest bit turned over, as uint8: `value` + 128.
ir::Expr TurnHighestBit(const ir::Expr& value);

}  // namespace lathe::topi::cpu
