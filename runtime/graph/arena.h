// Places blocks of memory that are used at different times into one arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lathe::runtime::graph {

inline constexpr uint64_t kArenaAlignment = 64;  // bytes

// In use from step `first` to step `last`, both included.
struct ArenaBlock {
  uint64_t bytes = 0;  // below 2^62
  int32_t first = 0, last = 0;
  uint64_t offset = 0;  // the result: a multiple of kArenaAlignment
};

struct ArenaUse {
  uint64_t bytes = 0;  // of the arena
  // The most bytes that are in use at one step, with blocks rounded up to kArenaAlignment. No
  // placement needs less.
  uint64_t lower_bound = 0;
};

// Chooses the offsets: largest block first, each into the smallest gap between the blocks placed
// before it that are in use at the same time (greedy by size, best fit: Pisarchyk and Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020). Quadratic in the number of
// blocks. The same blocks give the same offsets.
ArenaUse PlaceBlocks(std::span<ArenaBlock> blocks);

// The same for memory whose addresses cannot be computed with: blocks share whole allocations. The
// offset of each block becomes the number of its allocation; returns the bytes of each allocation,
// the largest first.
std::vector<uint64_t> ShareAllocations(std::span<ArenaBlock> blocks);

}  // namespace lathe::runtime::graph
