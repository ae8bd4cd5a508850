// Matrix products, C[m, n] = sum over k of A[m, k] B[k, n], in row-major order:
// ops::MatmulInPanels, ops::Matvec.
//
// How (docs/performance.md has the numbers): a tile of C is summed up in registers while k runs.
// First B is copied into panels as wide as a tile, `packed[panel, k, column]`, with zeros beyond
// the last column. So the inner loop reads contiguous memory and has no tail. Rows beyond the last
// one read the last row and are not stored. The panel in use stays in the second-level cache.
// Blocks of tiles run in parallel.
#pragma once

#include <cstdint>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/matmul.h"

namespace lathe::topi::cpu {

// Rows x columns of a product that are summed up in registers. The columns are whole vectors.
using RegisterTile = ops::Tile;

// Chooses a tile for an m x n product with `lanes` elements per vector. It has enough independent
// sums to hide the latency of a multiply-add, no more than fit into registers, and as few rows
// beyond `m` as possible.
RegisterTile ChooseRegisterTile(int64_t m, int64_t n, int64_t lanes,
                                const target::Machine& machine);

// The tile for `n` columns that are not padded: if one tile takes all and whole vectors do not
// divide them, it leaves the tail to a second one. With masks on a tile, its sums are in memory and
// not in registers. (136 x 136 by 49 columns: 466 to 63 us.)
RegisterTile WithWholeTiles(RegisterTile tile, int64_t n, int64_t lanes);

// Are `n` columns so few that their tail counts, and do tiles not divide them? Then the loop over
// tiles is to be cut. (68 x 68 by 196 columns: 301 to 60 us.)
bool HasFewAndTail(int64_t n, const RegisterTile& tile, int64_t lanes);

struct GemmShape {
  int64_t m = 1, n = 1, k = 1;
  int64_t batch = 0;  // 0: matrices; else the extent of a first axis of A, B and C
};

// Schedules ops::MatmulInPanels. The columns of its tile must be whole vectors. Knobs: gemm.*.
void ScheduleMatmulInPanels(const OperatorWork& work);
// Schedules ops::Matvec. Several rows at once are summed up in vectors, then across the lanes.
void ScheduleMatvec(const OperatorWork& work);

// args: A, B, C. `dtype` is float32 or float64. The knobs gemm.tile_rows and gemm.tile_vectors set
// the tile. The tile's columns change the program too, not only its schedule.
Kernel Gemm(const GemmShape& shape, DataType dtype, const target::Machine& machine,
            Config config = {});

// args: A[m, k], x[k], y[m].
Kernel Gemv(int64_t m, int64_t k, DataType dtype, const target::Machine& machine,
            Config config = {});

}  // namespace lathe::topi::cpu
