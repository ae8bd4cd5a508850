#include "runtime/graph/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/planted_graphs.h"

namespace lathe::runtime::graph {
namespace {

uint64_t Rounded(uint64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

std::vector<size_t> LargestFirst(std::span<const ArenaBlock> blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return blocks[a].bytes != blocks[b].bytes ? blocks[a].bytes > blocks[b].bytes : a < b;
  });
  return order;
}

uint64_t LowerBound(std::span<const ArenaBlock> blocks) {
  int32_t steps = 0;
  for (const ArenaBlock& block : blocks) steps = std::max(steps, block.last + 1);
  std::vector<int64_t> change(static_cast<size_t>(steps) + 1);
  for (const ArenaBlock& block : blocks) {
    const auto bytes = static_cast<int64_t>(Rounded(block.bytes));
    change[static_cast<size_t>(block.first)] += bytes;
    change[static_cast<size_t>(block.last) + 1] -= bytes;
  }
  int64_t now = 0, most = 0;
  for (const int64_t bytes : change) most = std::max(most, now += bytes);
  return static_cast<uint64_t>(most);
}

}  // namespace

std::vector<uint64_t> ShareAllocations(std::span<ArenaBlock> blocks) {
  std::vector<uint64_t> bytes;
  std::vector<std::vector<const ArenaBlock*>> users;  // of each allocation
  for (const size_t number : LargestFirst(blocks)) {
    ArenaBlock& block = blocks[number];
    const auto is_free = [&](const std::vector<const ArenaBlock*>& of) {
      return std::ranges::none_of(of, [&](const ArenaBlock* other) {
        return other->first <= block.last && block.first <= other->last;
      });
    };
    // All allocations so far are large enough; the last free one is the smallest.
    size_t found = users.size();
    while (found > 0 && !is_free(users[found - 1])) --found;
    if (found == 0) {
      bytes.push_back(block.bytes);
      users.emplace_back();
      found = users.size();
    }
    users[found - 1].push_back(&block);
    block.offset = found - 1;
  }
  return bytes;
}

ArenaUse PlaceBlocks(std::span<ArenaBlock> blocks) {
  // Blocks that have an offset, by offset.
  std::vector<ArenaBlock*> placed;
  placed.reserve(blocks.size());
  ArenaUse use;
  for (const size_t number : LargestFirst(blocks)) {
    ArenaBlock& block = blocks[number];
    const uint64_t bytes = Rounded(block.bytes);
    block.offset = 0;
    if (bytes == 0) continue;
    uint64_t end = 0;  // of the blocks seen so far that are in use at the same time
    uint64_t best = 0, best_gap = std::numeric_limits<uint64_t>::max();
    for (const ArenaBlock* other : placed) {
      if (other->last < block.first || other->first > block.last) continue;
      const bool fits = other->offset > end &&
                        (other->offset - end >= bytes || Planted(PlantedGraphBug::kGapTooSmall));
      if (fits && other->offset - end < best_gap) {
        best = end;
        best_gap = other->offset - end;
      }
      end = std::max(end, other->offset + Rounded(other->bytes));
    }
    block.offset = best_gap == std::numeric_limits<uint64_t>::max() ? end : best;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &block,
                                   [](const ArenaBlock* a, const ArenaBlock* b) {
                                     return a->offset < b->offset;
                                   }),
                  &block);
    use.bytes = std::max(use.bytes, block.offset + bytes);
  }
  use.lower_bound = LowerBound(blocks);
  return use;
}

}  // namespace lathe::runtime::graph
