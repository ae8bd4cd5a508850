// Tiles of a reduction that uses elements of its inputs several times, for processors with caches.
//
//   threads, blocks        loops of the reader, or of the reduction
//     reduction in steps   far
//       registers' tiles   of a tile for a cache
//         a step           near
//           elements       of a tile for registers
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "tune/sketch/choices.h"
#include "tune/sketch/parts.h"

namespace lathe::tune::sketch {

enum class Packing : int64_t {
  kNone,
  kPiece,  // what a thread's loops read, within them
  kAll,    // once, at the root, in blocks as wide as a tile for registers
};

struct TileSizes {
  // Of each axis: elements in registers, such tiles in one for a cache, and those for a thread.
  std::vector<int64_t> registers, caches, outer;
  std::vector<int64_t> steps;  // of each reduced axis
  int64_t unrolled = 0;        // 0: no loop is
  bool copied = false;         // sums are kept in a tile of their own until they are complete
  Packing packing = Packing::kNone;

  // Elements of an axis that a thread takes at once.
  int64_t Piece(size_t axis) const { return registers[axis] * caches[axis] * outer[axis]; }
};

// Asks for the sizes, and makes them smaller where they are too large, or would need guards.
// `extents`: of the region that is computed at once, an entry for each axis.
TileSizes AskTileSizes(const Part& part, const std::vector<int64_t>& extents, int64_t lanes,
                       Choices& choices);

// The stages of a tile.
struct Tile {
  schedule::Stage* reader;  // has the loops around; the reduction itself if nothing is copied
  schedule::Stage* reduced;
  std::vector<ir::IterVar> threads;  // of each axis the outermost loop
};
// Makes the loops of the reduction `op`, and those of the reader in whose tiles it is computed.
// Throws what the primitives throw, as the next function does.
Tile MakeTile(schedule::Schedule& s, const ir::Op& op, const Part& part, const TileSizes& sizes,
              int64_t lanes);
// The operand that is read in vectors, if a copy in another order may help. Null: there is none.
ir::Tensor PackableOperand(const Part& part);
// Copies it as `packing` says; `piece`: the innermost loop of `threads`, or what it was fused to.
// `width`: the elements of the last axis in registers.
void PackOperand(schedule::Schedule& s, const Part& part, const Tile& tile, Packing packing,
                 const ir::IterVar& piece, int64_t width, int64_t lanes);

// The innermost loop as vectors of `lanes`; of fewer, if then no elements are left over.
void VectorizeLast(schedule::Stage& stage, const ir::IterVar& axis, int64_t extent, int64_t lanes);

}  // namespace lathe::tune::sketch
