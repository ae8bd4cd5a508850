// `mma.sync`: the layout of the operands and results of a warp's 16 x 8 product over 16 steps of k.
//
// Lane l has registers a[0..3] of two elements each, neighbours along k: row l / 4 + 8 (i % 2), k 2
// (l % 4) + 8 (i / 2); b[0..1]: k 2 (l % 4) + 8 i, column l / 4; c[2 h + p]: row l / 4 + 8 h,
// column 2 (l % 4) + p. (PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type".)
// The instruction's rows g and g + 8 are rows 2 g and 2 g + 1 of the tile here, so that a lane's
// elements of c are 2 x 2 neighbours, as the tensor intrinsic declares.
//
// `ldmatrix` loads matrices of 8 x 8: lane l of 8 m ... 8 m + 7 points to row l % 8 of matrix m,
// and register m of lane l gets elements 2 (l % 4), 2 (l % 4) + 1 of row l / 4, transposed: of
// column l / 4. (PTX ISA, "ldmatrix".)
//
// In a larger tile of a warp, such as 64 x 64, a lane holds rows 16 i + 8 h + l / 4 and columns 8 j
// + 2 (l % 4) + p as c[i][h][j][p], and each operand is loaded once for all products that use it.
// In larger tiles the rows are those of the instruction: eight neighbouring rows are one matrix of
// ldmatrix, without bank conflicts if rows are an odd number of 16 bytes apart.
//
// The functions are both device and host code: tests emulate the instructions with them.
#pragma once

#include <string>

namespace lathe::cuda {

// A lane's own row (in pairs) and column (in pairs) of the tile, from its thread's number in the
// block.
#define LATHE_MMA_ROW \
  int lathe_mma_row(unsigned thread) { return int(thread / 4 % 8); }
#define LATHE_MMA_COLUMN \
  int lathe_mma_column(unsigned thread) { return int(thread % 4); }
// The address that a lane passes to ldmatrix: row and k in the tile of a; k in the tile of b, whose
// rows run along the columns.
#define LATHE_MMA_A_ROW \
  int lathe_mma_a_row(unsigned lane) { return int(lane % 8 * 2 + lane / 8 % 2); }
#define LATHE_MMA_A_STEP \
  int lathe_mma_a_step(unsigned lane) { return int(lane / 16 * 8); }
#define LATHE_MMA_B_STEP \
  int lathe_mma_b_step(unsigned lane) { return int(lane % 8 + lane / 8 % 2 * 8); }
// For larger tiles, which load four matrices at once: row and k of a; k and column of b,
// transposed.
#define LATHE_MMA_TILE_ROW \
  int lathe_mma_tile_row(unsigned lane) { return int(lane % 16); }
#define LATHE_MMA_TILE_STEP \
  int lathe_mma_tile_step(unsigned lane) { return int(lane / 16 * 8); }

inline LATHE_MMA_ROW;        // NOLINT
inline LATHE_MMA_COLUMN;     // NOLINT
inline LATHE_MMA_A_ROW;      // NOLINT
inline LATHE_MMA_A_STEP;     // NOLINT
inline LATHE_MMA_B_STEP;     // NOLINT
inline LATHE_MMA_TILE_ROW;   // NOLINT
inline LATHE_MMA_TILE_STEP;  // NOLINT

// The larger tiles for which there are intrinsics: cuda.mma_<type>_m<rows>n<columns>.
struct MmaTile {
  int rows, columns;
};
inline constexpr MmaTile kMmaTiles[] = {{32, 32}, {64, 32}, {64, 64}};

// The CUDA C++ text of these functions, which kMmaPrelude (prelude.h) needs.
std::string MmaMapping();

}  // namespace lathe::cuda
