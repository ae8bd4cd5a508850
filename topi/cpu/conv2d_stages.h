// What the templates of convolutions have in common.
#pragma once

#include <cstdint>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// Of the tile sizes in (limit / 2, limit] the one that wastes the fewest elements in the last tile;
// of several the largest. Smaller tiles would cost more than a tail.
int64_t ConvTile(int64_t extent, int64_t limit);

// The stages of a convolution: the frame (null if there is none), the sums, and the stage whose
// loops the sums follow.
struct ConvStages {
  ir::Tensor padded, sum, out;
};
// Without an epilogue, the sums become a stage of their own (cache_write).
ConvStages ConvStagesOf(const OperatorWork& work);

// Blocks of output channels in registers beside each other: 2 or 3 if they divide all blocks, so
// that each element of the data serves several products.
int64_t ConvBlocks(const ir::Tensor& out);

// The number of multiplications and additions for all sums.
double ConvOperations(const ir::Tensor& sums);

// The loops over tiles of a convolution's result [n, f, y, x, block].
struct ConvTiles {
  int64_t blocks = 1, rows = 1, columns = 1;  // of f, y and x, in registers
  int64_t lanes = 1;                          // of the result's vectors
  bool parallel = false;
};
// Schedules `out` in such tiles. Returns the loop over tiles beside each other.
ir::IterVar ScheduleConvTiles(schedule::Schedule s, const ir::Tensor& out, const ConvTiles& tiles);

// The frame as a stage of its own, made before.
void ScheduleConvFrame(schedule::Schedule s, const ir::Tensor& padded, bool parallel);

}  // namespace lathe::topi::cpu
