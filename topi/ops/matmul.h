// Products of matrices, all row by row.
// What does not fit throws Error "topi-operand" (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

// C[..., i, j] = sum over k of A[..., i, k] B[..., k, j], in the type of A and B. Axes before the
// last two are batches: of A and B the same.
te::Tensor Matmul(const te::Tensor& a, const te::Tensor& b);

// y[i] = sum over k of A[i, k] x[k].
te::Tensor Matvec(const te::Tensor& a, const te::Tensor& x);

// The same product with B in panels of so many columns, `packed[panel, k, column]`, zero beyond the
// last column, added up for whole tiles of so many rows; rows beyond the last one read the last row
// and are not part of the result. So inner loops read in one piece and know no tail. One axis of
// batches at most. All extents are constants.
struct Tile {
  int64_t rows = 1, columns = 1;
};
te::Tensor MatmulInPanels(const te::Tensor& a, const te::Tensor& b, const Tile& tile);

}  // namespace lathe::topi::ops
