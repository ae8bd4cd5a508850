// Products of matrices in row-major order. Operands that do not fit throw Error "topi-operand"
// (operands.h).
#pragma once

#include <cstdint>

#include "te/operation.h"

namespace lathe::topi::ops {

// C[..., i, j] = sum over k of A[..., i, k] B[..., k, j], in the type of A and B. The axes before
// the last two are batches; A and B have the same batches.
te::Tensor Matmul(const te::Tensor& a, const te::Tensor& b);

// y[i] = sum over k of A[i, k] x[k].
te::Tensor Matvec(const te::Tensor& a, const te::Tensor& x);

// The same product, computed in tiles of `tile`. B is packed into panels of `tile.columns` columns,
// `packed[panel, k, column]`, with zeros beyond the last column. Sums are computed for whole tiles
// of `tile.rows` rows: rows beyond the last one read the last row and are not part of the result.
// So the inner loops read contiguous memory and have no tail. At most one axis of batches. All
// extents are constants.
struct Tile {
  int64_t rows = 1, columns = 1;
};
te::Tensor MatmulInPanels(const te::Tensor& a, const te::Tensor& b, const Tile& tile);

}  // namespace lathe::topi::ops
