#include "tune/sketch/cpu_tile.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/panels.h"

namespace lathe::tune::sketch {
namespace {

using ir::IterVar;
using ir::Op;
using schedule::Schedule;
using schedule::Stage;

constexpr int64_t kMostRegisterElements = 1024;  // of a register tile
constexpr int64_t kMostCacheElements = 1 << 16;  // of a tile for a cache
constexpr int64_t kMostTile = 64;                // iterations of a loop of a tile

// The operand that vectors are read from.
struct Packable {
  ir::Tensor operand;
  topi::cpu::PanelAxis along;
  bool contiguous;  // its elements lie side by side as it is
};

std::optional<Packable> PackableOf(const ir::ComputeOp& compute) {
  const std::vector<topi::cpu::Access> accesses = topi::cpu::AccessesOf(compute);
  const size_t last = compute.axis.size() - 1;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const topi::cpu::Access& access = accesses[i];
    if (!access.Uses(last)) continue;
    // Windows overlap: a panel of them would have more elements than the operand.
    const bool each_once = std::ranges::all_of(access.indices, [](const ir::Expr& index) {
      return ir::As<ir::VarNode>(index) != nullptr;
    });
    if (!each_once && access.IsContiguous(last)) continue;
    if (const auto along = topi::cpu::PanelAxisOf(compute, accesses, i, last))
      return Packable{access.tensor, *along, access.IsContiguous(last)};
  }
  return std::nullopt;
}

// The elements of a vector: as many as `lanes`, or somewhat fewer, if then none is left over. What
// is left over is computed one by one.
int64_t VectorOf(int64_t extent, int64_t lanes) {
  if (extent % lanes == 0) return lanes;
  for (int64_t fewer = lanes - 1; 2 * fewer > lanes; --fewer) {
    if (extent % fewer == 0) return fewer;
  }
  return lanes;
}

// Copies all of the operand: a block for each tile of the last axis, in it one row of `width`
// elements behind the other, as the tile reads them.
//
//   B[k, j]  -->  panel[j // width, k, j % width]
void CopyInBlocks(Schedule& s, const Packable& packable, const Op& reader, int64_t width,
                  int64_t lanes) {
  const ir::Tensor panel =
      schedule::CacheRead(s, packable.operand, ir::memory_scope::kGlobal, {reader});
  Stage& stage = s[panel];
  const size_t along = packable.along.dimension, rank = panel->shape().size();
  const std::string name = "d" + std::to_string(along), size = std::to_string(width);
  std::vector<std::string> map = {name + " // " + size};
  auto [block, within] = schedule::Split(stage, schedule::AxisOf(panel, along), width);
  std::vector<IterVar> loops = {block};
  for (size_t i = 0; i < rank; ++i) {
    if (i == along) continue;
    map.push_back("d" + std::to_string(i));
    loops.push_back(schedule::AxisOf(panel, i));
  }
  map.push_back(name + " % " + size);
  schedule::TransformLayout(s, panel, map);
  if (along + 1 == rank) {
    loops.push_back(within);
    schedule::Reorder(stage, loops);
    VectorizeLast(stage, within, width, lanes);
  } else {
    // Reads in rows, writes in columns, so that each cache line is fetched once.
    auto [far, near] = schedule::Split(stage, loops.back(), lanes);
    loops.back() = far;
    schedule::Reorder(stage, Joined({loops, {within, near}}));
    schedule::Unroll(stage, near);
  }
  schedule::Parallel(stage, block);
}

}  // namespace

TileSizes AskTileSizes(const Part& part, const std::vector<int64_t>& extents, int64_t lanes,
                       Choices& choices) {
  const ir::ComputeOp& compute = *part.compute;
  const size_t rank = compute.axis.size();
  TileSizes sizes;
  for (size_t i = 0; i < rank; ++i) {
    const std::string knob = KnobOf(part, i);
    const std::vector<int64_t> some = Sizes(ExtentOf(compute.axis[i]), kMostTile);
    const int64_t wanted = i + 1 == rank ? 2 * lanes : i + 2 == rank ? 4 : 1;
    sizes.registers.push_back(choices.Ask(knob + ".register", some, Nearest(some, wanted)));
    sizes.caches.push_back(choices.Ask(knob + ".cache", some, Nearest(some, 4)));
    sizes.outer.push_back(choices.Ask(knob + ".outer", some, 1));
  }
  // As large as each can be within the region, without guards.
  const auto fit = [&](std::vector<int64_t>& cut, auto left) {
    for (size_t i = 0; i < rank; ++i) {
      const int64_t within = left(i), whole = ExtentOf(compute.axis[i]);
      if (extents[i] < whole || extents[i] % within == 0)
        cut[i] = DivisorOf(std::max<int64_t>(extents[i] / within, 1), cut[i]);
    }
  };
  for (size_t i = 0; i < rank; ++i) {
    if (extents[i] < ExtentOf(compute.axis[i]))
      sizes.registers[i] = DivisorOf(extents[i], sizes.registers[i]);
  }
  Shrink(sizes.registers, kMostRegisterElements);
  fit(sizes.caches, [&](size_t i) { return sizes.registers[i]; });
  Shrink(sizes.caches, kMostCacheElements / Product(sizes.registers));
  fit(sizes.outer, [&](size_t i) { return sizes.registers[i] * sizes.caches[i]; });
  for (size_t j = 0; j < compute.reduce_axis.size(); ++j) {
    const std::vector<int64_t> some = Sizes(ExtentOf(compute.reduce_axis[j]), kMostTile);
    sizes.steps.push_back(
        choices.Ask(part.name + ".reduce" + std::to_string(j), some, Nearest(some, 4)));
  }
  sizes.unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64, 256}, 64);
  sizes.copied = part.fused_into || choices.Ask(part.name + ".cache_write", {0, 1}, 1) == 1;
  if (!sizes.copied) sizes.outer.assign(rank, 1);
  if (const auto packable = PackableOf(compute)) {
    const auto is_it = [&](const ir::Tensor& input) {
      return ir::SameTensor(input, packable->operand);
    };
    sizes.packing =
        std::ranges::any_of(part.pre_transformed, is_it)
            ? Packing::kAll
            : Packing(choices.Ask(part.name + ".pack", {0, 1, 2}, packable->contiguous ? 0 : 1));
  }
  return sizes;
}

Tile MakeTile(Schedule& s, const Op& op, const Part& part, const TileSizes& sizes, int64_t lanes) {
  const size_t rank = part.compute->axis.size();
  Op producer = op;
  if (sizes.copied && !part.fused_into)
    producer = schedule::CacheWrite(s, ir::OutputOf(op, 0), ir::memory_scope::kLocal)[0]->op;
  Stage& reduced = s[producer];
  Stage& reader = sizes.copied ? s[part.fused_into ? part.fused_into : op] : reduced;
  std::vector<IterVar> threads, blocks, cache, tile, far, near;
  if (sizes.copied) {
    std::vector<IterVar> inner;
    for (size_t i = 0; i < rank; ++i) {
      auto [rest, within] =
          schedule::Split(reader, reader.root_axes[i], sizes.registers[i] * sizes.caches[i]);
      auto [thread, block] = schedule::Split(reader, rest, sizes.outer[i]);
      threads.push_back(thread);
      blocks.push_back(block);
      inner.push_back(within);
    }
    schedule::Reorder(reader, Joined({threads, blocks, inner}));
    schedule::ComputeAt(reduced, reader, blocks.back());
    VectorizeLast(reader, inner.back(), sizes.registers.back() * sizes.caches.back(), lanes);
  }
  for (size_t i = 0; i < rank; ++i) {
    IterVar axis = reduced.root_axes[i];
    if (!sizes.copied) {
      auto [rest, within] = schedule::Split(reduced, axis, sizes.registers[i] * sizes.caches[i]);
      threads.push_back(rest);
      axis = within;
    }
    auto [rest, within] = schedule::Split(reduced, axis, sizes.registers[i]);
    cache.push_back(rest);
    tile.push_back(within);
  }
  for (size_t j = 0; j < sizes.steps.size(); ++j) {
    auto [rest, within] = schedule::Split(reduced, reduced.root_axes[rank + j], sizes.steps[j]);
    far.push_back(rest);
    near.push_back(within);
  }
  schedule::Reorder(
      reduced, Joined({sizes.copied ? std::vector<IterVar>() : threads, far, cache, near, tile}));
  if (sizes.unrolled > 0)
    schedule::Pragma(reduced, cache.front(), "auto_unroll_max_step", sizes.unrolled);
  VectorizeLast(reduced, tile.back(), sizes.registers.back(), lanes);
  return {&reader, &reduced, threads};
}

ir::Tensor PackableOperand(const Part& part) {
  const auto packable = PackableOf(*part.compute);
  return packable ? packable->operand : ir::Tensor();
}

void PackOperand(Schedule& s, const Part& part, const Tile& tile, Packing packing,
                 const IterVar& piece, int64_t width, int64_t lanes) {
  if (packing == Packing::kNone) return;
  const auto packable = PackableOf(*part.compute);
  if (!packable || s[packable->operand].attach == schedule::AttachKind::kInline) return;
  const bool all = packing == Packing::kAll;
  if (all && packable->along.stride == 1 && width > 1)
    return CopyInBlocks(s, *packable, tile.reduced->op, width, lanes);
  const ir::Tensor panel =
      topi::cpu::CopyPanel(s, packable->operand, tile.reduced->op, all ? nullptr : tile.reader,
                           piece, packable->along, lanes);
  if (all) schedule::Parallel(s[panel], s[panel].leaf_axes[0]);
}

void VectorizeLast(Stage& stage, const IterVar& axis, int64_t extent, int64_t lanes) {
  if (extent <= 1) return;
  schedule::Vectorize(
      stage, extent <= lanes ? axis : schedule::Split(stage, axis, VectorOf(extent, lanes)).second);
}

}  // namespace lathe::tune::sketch
