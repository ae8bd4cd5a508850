// Packs a block of rows element by element. Packing for dot products uses this.
#pragma once

#include "te/tensor_intrin.h"

namespace lathe::topi::cpu {

// b[j, r] = a[r, j] for `rows` rows of `columns` elements, by loads, shuffles and one store. The
// rows of a may be any distance apart; b is compact. `rows` and `columns` are powers of two. With
// `turned`, for int8 only, b is uint8 and the highest bit of each element is flipped (a + 128).
// Registered for all targets. Thread-safe.
te::TensorIntrin PackRowsIntrin(int64_t rows, int64_t columns, DataType dtype, bool turned);

// An int8 with its highest bit flipped, as uint8: `value` + 128.
ir::Expr TurnHighestBit(const ir::Expr& value);

}  // namespace lathe::topi::cpu
