#include "tune/sketch/cpu_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"

namespace lathe::tune::sketch {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;
using schedule::Schedule;
using schedule::Stage;

constexpr int64_t kMostRegisterElements = 1024;  // of a register tile
constexpr int64_t kMostCacheElements = 1 << 16;  // of a tile for a cache
constexpr int64_t kMostTile = 64;                // iterations of a loop of a tile

class CacheRules {
 public:
  CacheRules(const Parts& parts, const target::Machine& machine)
      : parts_(parts), machine_(machine) {}

  // The schedule that the choices say. Throws what the primitives throw.
  Schedule Make(Choices& choices) const {
    Schedule s = schedule::CreateSchedule(parts_.outputs());
    std::set<const ir::Node*> inlined;
    for (const Op& op : parts_.order()) {
      const Part& part = parts_.of(op);
      if (part.compute == nullptr || part.tiled || part.is_output) continue;
      if (!part.absorbed) {
        if (!parts_.CanBeInlined(s, op)) continue;
        AskPlain(op, part, choices);  // what it needs if it has a stage of its own
        if (choices.Ask(part.name + ".inline", {0, 1}, 1) == 0) continue;
      }
      schedule::ComputeInline(s[op]);
      inlined.insert(op.get());
    }
    // Readers first: a stage is attached to loops that are there.
    for (auto at = parts_.order().rbegin(); at != parts_.order().rend(); ++at) {
      const Part& part = parts_.of(*at);
      if (part.compute == nullptr || inlined.count(at->get()) != 0) continue;
      if (part.tiled) {
        Tile(s, *at, part, choices);
      } else if (!parts_.IsReaderOfTile(*at)) {
        Plain(s, *at, part, choices);
      }
    }
    return s;
  }

 private:
  struct PlainChoices {
    int64_t vectors, threads, unrolled;
    bool partial;
  };
  static PlainChoices AskPlain(const Op& op, const Part& part, Choices& choices) {
    const size_t rank = part.compute->axis.size();
    PlainChoices chosen{choices.Ask(part.name + ".vectors", {0, 1, 2, 4, 8}, 1),
                        choices.Ask(part.name + ".threads", {0, 1, 2}, rank > 1 ? 1 : 0), 0, false};
    if (part.compute->reduce_axis.empty()) return chosen;
    chosen.unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64}, 16);
    if (ir::NumOutputs(*op) == 1)
      chosen.partial = choices.Ask(part.name + ".partial", {0, 1}, 0) == 1;
    return chosen;
  }

  int64_t LanesOf(const Op& op) const {
    return std::max<int64_t>(machine_.Lanes(ir::OutputType(*op, 0)), 1);
  }

  // Loops around a tile, for threads; `count` of them.
  static void Share(Stage& stage, const std::vector<IterVar>& loops) {
    if (loops.empty()) return;
    schedule::Parallel(stage, loops.size() == 1 ? loops[0] : schedule::Fuse(stage, loops));
  }

  void Tile(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const size_t rank = part.compute->axis.size();
    std::vector<int64_t> registers(rank), caches(rank), outer(rank);
    for (size_t i = 0; i < rank; ++i) {
      const std::string knob = KnobOf(part, i);
      const int64_t extent = ExtentOf(part.compute->axis[i]);
      const std::vector<int64_t> sizes = Sizes(extent, kMostTile);
      const int64_t wanted = i + 1 == rank ? 2 * LanesOf(op) : i + 2 == rank ? 4 : 1;
      registers[i] = choices.Ask(knob + ".register", sizes, Nearest(sizes, wanted));
      caches[i] = choices.Ask(knob + ".cache", sizes, Nearest(sizes, 4));
      outer[i] = choices.Ask(knob + ".outer", sizes, 1);
    }
    Shrink(registers, kMostRegisterElements);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = ExtentOf(part.compute->axis[i]);
      // As large as it can be without guards.
      if (extent % registers[i] == 0) caches[i] = DivisorOf(extent / registers[i], caches[i]);
    }
    Shrink(caches, kMostCacheElements / Product(registers));
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = ExtentOf(part.compute->axis[i]), tile = registers[i] * caches[i];
      if (extent % tile == 0) outer[i] = DivisorOf(extent / tile, outer[i]);
    }
    std::vector<int64_t> steps;
    for (size_t j = 0; j < part.compute->reduce_axis.size(); ++j) {
      const std::vector<int64_t> sizes = Sizes(ExtentOf(part.compute->reduce_axis[j]), kMostTile);
      steps.push_back(
          choices.Ask(part.name + ".reduce" + std::to_string(j), sizes, Nearest(sizes, 4)));
    }
    const int64_t unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64, 256}, 64);
    const bool copied = part.fused_into || choices.Ask(part.name + ".cache_write", {0, 1}, 1) == 1;

    Op producer = op;
    if (copied && !part.fused_into)
      producer = schedule::CacheWrite(s, ir::OutputOf(op, 0), ir::memory_scope::kLocal)[0]->op;
    Stage& reduced = s[producer];
    std::vector<IterVar> shared, tiles;
    if (copied) {
      Stage& reader = s[part.fused_into ? part.fused_into : op];
      std::vector<IterVar> inner;
      for (size_t i = 0; i < rank; ++i) {
        const IterVar axis = reader.root_axes[i];
        auto [rest, tile] = schedule::Split(reader, axis, registers[i] * caches[i]);
        auto [thread, block] = schedule::Split(reader, rest, outer[i]);
        shared.push_back(thread);
        tiles.push_back(block);
        inner.push_back(tile);
      }
      schedule::Reorder(reader, Joined({shared, tiles, inner}));
      schedule::ComputeAt(reduced, reader, tiles.back());
      VectorizeLast(reader, inner.back(), registers.back() * caches.back(), LanesOf(op));
      Share(reader, shared);
    }
    // The reduction itself: cache tile, steps of the reduction, register tile.
    std::vector<IterVar> cache, tile, far, near;
    for (size_t i = 0; i < rank; ++i) {
      IterVar axis = reduced.root_axes[i];
      if (!copied) {
        auto [rest, within] = schedule::Split(reduced, axis, registers[i] * caches[i]);
        shared.push_back(rest);
        axis = within;
      }
      auto [rest, within] = schedule::Split(reduced, axis, registers[i]);
      cache.push_back(rest);
      tile.push_back(within);
    }
    for (size_t j = 0; j < steps.size(); ++j) {
      auto [rest, within] = schedule::Split(reduced, reduced.root_axes[rank + j], steps[j]);
      far.push_back(rest);
      near.push_back(within);
    }
    schedule::Reorder(reduced,
                      Joined({copied ? std::vector<IterVar>() : shared, far, cache, near, tile}));
    if (unrolled > 0) schedule::Pragma(reduced, cache.front(), "auto_unroll_max_step", unrolled);
    VectorizeLast(reduced, tile.back(), registers.back(), LanesOf(op));
    if (!copied) Share(reduced, shared);
  }

  // The innermost loop as vectors of `lanes`, or as one vector if it is shorter.
  static void VectorizeLast(Stage& stage, const IterVar& axis, int64_t extent, int64_t lanes) {
    if (extent <= 1) return;
    schedule::Vectorize(stage, extent <= lanes ? axis : schedule::Split(stage, axis, lanes).second);
  }

  // Loops in their order: the outer ones shared by threads, the last one in vectors. A reduction to
  // few elements in partial results side by side.
  void Plain(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const size_t rank = part.compute->axis.size();
    const int64_t lanes = LanesOf(op);
    const bool reduces = !part.compute->reduce_axis.empty();
    const auto [vectors, threads, unrolled, partial] = AskPlain(op, part, choices);
    if (partial) {
      const IterVar last = s[op].root_axes.back();
      const int64_t side = std::min(ExtentOf(part.compute->reduce_axis.back()),
                                    std::max<int64_t>(vectors, 1) * lanes);
      const IterVar within = schedule::Split(s[op], last, side).second;
      const Tensor results = schedule::RFactor(s, ir::OutputOf(op, 0), within, -1)[0];
      Stage& before = s[results];
      const IterVar lane = before.root_axes[rank];
      // The partial results are the innermost loop: below the rest of the reduction.
      std::vector<IterVar> loops;
      for (const IterVar& leaf : before.leaf_axes) {
        if (!leaf.same_as(lane)) loops.push_back(leaf);
      }
      loops.push_back(lane);
      schedule::Reorder(before, loops);
      VectorizeLast(before, lane, side, lanes);
      if (rank > 0) schedule::ComputeAt(before, s[op], s[op].root_axes[rank - 1]);
    }
    Stage& stage = s[op];
    std::vector<IterVar> spatial(stage.root_axes.begin(),
                                 stage.root_axes.begin() + static_cast<std::ptrdiff_t>(rank));
    if (rank == 0) return;
    const int64_t extent = ExtentOf(part.compute->axis.back());
    IterVar innermost;
    if (vectors > 0 && !partial && extent > 1) {
      auto [rest, within] =
          schedule::Split(stage, spatial.back(), std::min(extent, vectors * lanes));
      spatial.back() = rest;
      innermost = within;
      // Elements side by side are reduced at once.
      std::vector<IterVar> loops = spatial;
      for (size_t j = rank; j < stage.root_axes.size(); ++j) loops.push_back(stage.root_axes[j]);
      loops.push_back(within);
      schedule::Reorder(stage, loops);
      VectorizeLast(stage, within, std::min(extent, vectors * lanes), lanes);
    }
    if (unrolled > 0 && reduces && !partial)
      schedule::Pragma(stage, stage.root_axes[rank], "auto_unroll_max_step", unrolled);
    // The last loop that is left has work for the vectors, or the place of the partial results.
    const auto count = std::min<size_t>(static_cast<size_t>(threads), innermost ? rank : rank - 1);
    Share(stage, {spatial.begin(), spatial.begin() + static_cast<std::ptrdiff_t>(count)});
  }

  const Parts& parts_;
  const target::Machine& machine_;
};

}  // namespace

Schedule ScheduleForCaches(const Parts& parts, const target::Machine& machine, Choices& choices) {
  return CacheRules(parts, machine).Make(choices);
}

}  // namespace lathe::tune::sketch
