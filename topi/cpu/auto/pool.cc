// Pools: reductions over windows of a few elements. A tile of results is kept in registers while
// the window, which is straight code, goes over it. Where windows leave the input, rows and tiles
// at the border are loops of their own.
#include <algorithm>
#include <optional>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/stages.h"
#include "topi/cpu/conv2d_stages.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Stage;

constexpr int64_t kMostVectorsTogether = 4;

// The lanes of the vectors along the last axis. A tail has a mask, with which operands that are
// read with a step would be gathered: rather narrower vectors that fill the row.
int64_t PoolLanes(const StageWork& work) {
  const int64_t extent = ExtentOf(work.facts.compute->axis.back()), lanes = work.lanes();
  if (extent <= lanes) return extent;
  for (int64_t fewer = lanes; 2 * fewer >= lanes; --fewer) {
    if (extent % fewer == 0) return fewer;
  }
  return lanes;
}

// The axes that windows move along, without the last one: `tile` is the one whose results stand
// side by side in registers, `rows` is the next one outwards. Where windows move along the last
// axis, too, vectors are side by side already.
struct PoolAxes {
  std::optional<size_t> rows, tile;
};
PoolAxes AxesOf(const Facts& facts) {
  PoolAxes axes;
  const size_t last = facts.compute->axis.size() - 1;
  const bool vectors_move = MovesWindows(facts, last);
  for (size_t axis = last; axis-- > 0;) {
    if (!MovesWindows(facts, axis)) continue;
    if (vectors_move || axes.tile) {
      axes.rows = axis;
      break;
    }
    axes.tile = axis;
  }
  return axes;
}

}  // namespace

void SchedulePool(const StageWork& work, const Tensor& sink) {
  const Facts& facts = work.facts;
  const size_t last = facts.compute->axis.size() - 1;
  const int64_t lanes = PoolLanes(work);
  const PoolAxes axes = AxesOf(facts);
  schedule::Schedule s = work.schedule;
  const Tensor found = ir::SameTensor(sink, work.tensor)
                           ? schedule::CacheWrite(s, work.tensor, ir::memory_scope::kLocal)[0]
                           : work.tensor;
  Stage& out = s[sink];
  schedule::SetScope(s[found], ir::memory_scope::kLocal);

  const bool guarded = facts.cost.has_condition;
  // Up to a few vectors of channels stand in registers together, because they lie side by side.
  const int64_t vectors_together = std::max<int64_t>(1, ExtentOf(AxisOf(sink, last)) / lanes);
  const bool together = axes.tile && vectors_together <= kMostVectorsTogether;
  auto [vectors, lane] = schedule::Split(out, AxisOf(sink, last), lanes);
  std::vector<IterVar> outer, order;
  for (size_t axis = 0; axis < last; ++axis) {
    if (axes.tile != axis) outer.push_back(AxisOf(sink, axis));
  }
  order = outer;
  IterVar at = vectors;
  if (axes.tile) {
    const int64_t width = ExtentOf(AxisOf(sink, *axes.tile));
    const int64_t most = std::max<int64_t>(
        1, (work.machine.vector_registers / 2 - 2) / (together ? vectors_together : 1));
    // Tiles at the border are computed apart: those between should be most.
    const int64_t limit = guarded ? std::clamp<int64_t>(width / 4, (most + 1) / 2, most) : most;
    const int64_t tile = work.config.Ask({"default.pool_columns", ConvTile(width, limit), 1, 32,
                                          "results of a pool side by side in registers"});
    auto [tiles, columns] = schedule::Split(out, AxisOf(sink, *axes.tile), tile);
    // Few tiles are all at the border: none would be left for a loop without guards.
    if (guarded && width <= 3 * tile) schedule::Unroll(out, tiles);
    if (guarded && width > 3 * tile) schedule::Pragma(out, tiles, ir::pragma::kLoopPartitionHint);
    schedule::Unroll(out, columns);
    if (together) {
      at = tiles;
      schedule::Unroll(out, vectors);
      order.insert(order.end(), {tiles, columns, vectors});
    } else {
      order.insert(order.end(), {tiles, vectors, columns});
    }
  } else {
    order.push_back(vectors);
  }
  order.push_back(lane);
  schedule::Reorder(out, order);
  schedule::Vectorize(out, lane);

  if (axes.rows && guarded) {
    // Loops for threads are not cut; images and channels are enough for them, or all is.
    const IterVar rows = AxisOf(sink, *axes.rows);
    int64_t others = 1;
    for (size_t axis = 0; axis < *axes.rows; ++axis) others *= ExtentOf(AxisOf(sink, axis));
    if (others >= kEnoughForThreads || !ForThreads(work)) {
      outer.resize(*axes.rows);
      schedule::Pragma(out, rows, ir::pragma::kLoopPartitionHint);
    }
  }
  if (ForThreads(work)) ParallelOver(out, outer);

  schedule::ComputeAt(s[found], out, at);
  Stage& inner = s[found];
  std::vector<IterVar> sums;
  for (size_t k = 0; k < facts.compute->reduce_axis.size(); ++k) {
    sums.push_back(schedule::ReduceAxisOf(found, k));
    schedule::Unroll(inner, sums.back());
  }
  if (axes.tile) {
    sums.push_back(AxisOf(found, *axes.tile));
    schedule::Unroll(inner, sums.back());
  }
  sums.push_back(AxisOf(found, last));
  schedule::Reorder(inner, sums);
  VectorizeRow(inner, sums.back(), lanes);
}

}  // namespace lathe::topi::cpu
