#include "runtime/graph/arena.h"

#include <cstdio>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace lathe::runtime::graph {
namespace {

// Fails if two blocks share a byte while both are in use.
void CheckPlacement(const std::vector<ArenaBlock>& blocks, const ArenaUse& use) {
  EXPECT_GE(use.bytes, use.lower_bound);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ArenaBlock& a = blocks[i];
    EXPECT_EQ(a.offset % kArenaAlignment, 0u);
    if (a.bytes != 0) EXPECT_LE(a.offset + a.bytes, use.bytes);
    for (size_t k = 0; k < i; ++k) {
      const ArenaBlock& b = blocks[k];
      const bool in_time = a.first <= b.last && b.first <= a.last;
      const bool in_space = a.bytes != 0 && b.bytes != 0 && a.offset < b.offset + b.bytes &&
                            b.offset < a.offset + a.bytes;
      EXPECT_FALSE(in_time && in_space) << i << " and " << k;
    }
  }
}

TEST(Arena, KeepsBlocksApart) {
  std::mt19937_64 random(1);
  for (int time = 0; time < 300; ++time) {
    std::vector<ArenaBlock> blocks(random() % 60);
    for (ArenaBlock& block : blocks) {
      block.bytes = random() % 3 == 0 ? random() % 64 : random() % 100000;
      block.first = static_cast<int32_t>(random() % 40);
      block.last = block.first + static_cast<int32_t>(random() % 8);
    }
    const ArenaUse use = PlaceBlocks(blocks);
    CheckPlacement(blocks, use);
    std::vector<ArenaBlock> again = blocks;
    PlaceBlocks(again);
    for (size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i].offset, again[i].offset);
  }
}

// A chain needs two tensors at a time, the largest neighbours.
TEST(Arena, ChainsNeedTheirLowerBound) {
  std::vector<ArenaBlock> blocks;
  for (int32_t i = 0; i < 100; ++i)
    blocks.push_back({static_cast<uint64_t>(1000 * (i % 7 + 1)), i, i + 1, 0});
  const ArenaUse use = PlaceBlocks(blocks);
  CheckPlacement(blocks, use);
  EXPECT_EQ(use.lower_bound, (7000u + 63) / 64 * 64 + (6000u + 63) / 64 * 64);
  EXPECT_LE(use.bytes, use.lower_bound + use.lower_bound / 4);
}

TEST(Arena, OfNothing) {
  const ArenaUse use = PlaceBlocks({});
  EXPECT_EQ(use.bytes, 0u);
  EXPECT_EQ(use.lower_bound, 0u);
  std::vector<ArenaBlock> empty = {{0, 3, 5, 0}};
  EXPECT_EQ(PlaceBlocks(empty).bytes, 0u);
}

}  // namespace
}  // namespace lathe::runtime::graph
