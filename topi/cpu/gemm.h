// Matrix products, C[m, n] = sum over k of A[m, k] B[k, n], all row by row: ops::MatmulInPanels,
// ops::Matvec.
//
// How (the numbers are in docs/performance.md): a tile of C is added up in registers while k runs.
// B is first copied into panels as wide as a tile, `packed[panel, k, column]`, zero beyond the last
// column, so that the inner loop reads it in one piece and knows no tail; rows beyond the last one
// read the last row and are not stored. The panel that is at work stays in the second-level cache.
// Parallel over blocks of tiles.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/matmul.h"

namespace lathe::topi::cpu {

// Rows x columns of a product that are added up in registers; columns are whole vectors.
using RegisterTile = ops::Tile;

// Enough independent sums to hide the latency of a multiply-add, no more than there are registers
// for, and as few rows as can be beyond `m`. For elements of `lanes` to a vector.
RegisterTile ChooseRegisterTile(int64_t m, int64_t n, int64_t lanes,
                                const target::Machine& machine);

struct GemmShape {
  int64_t m = 1, n = 1, k = 1;
  int64_t batch = 0;  // 0: matrices; else the extent of a first axis of A, B and C
};

// ops::MatmulInPanels of a tile whose columns are whole vectors; knobs gemm.*.
void ScheduleMatmulInPanels(const OperatorWork& work);
// ops::Matvec: each row is added up in vectors, several rows at once, then across the lanes.
void ScheduleMatvec(const OperatorWork& work);

// args: A, B, C. `dtype` is float32 or float64. Knobs gemm.tile_rows and gemm.tile_vectors set the
// tile, whose columns the program has as well.
Kernel Gemm(const GemmShape& shape, DataType dtype, const target::Machine& machine,
            Config config = {});

// args: A[m, k], x[k], y[m].
Kernel Gemv(int64_t m, int64_t k, DataType dtype, const target::Machine& machine,
            Config config = {});

}  // namespace lathe::topi::cpu
