// Matrix products: C[m, n] = sum over k of A[m, k] B[k, n], all row by row.
//
// How (the numbers are in docs/performance.md): a tile of C is added up in registers while k runs.
// B is first copied into panels as wide as a tile, `packed[panel, k, column]`, zero beyond the last
// column, so that the inner loop reads it in one piece and knows no tail; rows beyond the last one
// read the last row and are not stored. The panel that is at work stays in the second-level cache.
// Parallel over blocks of tiles.
#pragma once

#include <cstdint>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::topi::cpu {

// Rows x columns of a product that are added up in registers; columns are whole vectors.
struct RegisterTile {
  int64_t rows = 1, columns = 1;
};

// Enough independent sums to hide the latency of a multiply-add, no more than there are registers
// for, and as few rows as can be beyond `m`. For elements of `lanes` to a vector.
RegisterTile ChooseRegisterTile(int64_t m, int64_t n, int64_t lanes,
                                const target::Machine& machine);

struct GemmShape {
  int64_t m = 1, n = 1, k = 1;
  int64_t batch = 0;  // 0: matrices; else the extent of a first axis of A, B and C
};

// args: A, B, C. `dtype` is float32 or float64.
Kernel Gemm(const GemmShape& shape, DataType dtype, const target::Machine& machine);

// y[m] = sum over k of A[m, k] x[k]. args: A, x, y. Each row is added up in vectors, several rows
// at once, then across the lanes.
Kernel Gemv(int64_t m, int64_t k, DataType dtype, const target::Machine& machine);

}  // namespace lathe::topi::cpu
