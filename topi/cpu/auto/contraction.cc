// Products and convolutions. A tile of the output, rows x vectors, is summed up in registers while
// the reduction runs. The operand that all rows share is copied into panels if it would be read
// with long strides.
#include <algorithm>
#include <optional>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/panels.h"
#include "topi/cpu/auto/stages.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Stage;

// A divisor of `extent` close to `limit`, so that rows have no tail; `limit` if there is none.
int64_t NearestDivisor(int64_t extent, int64_t limit) {
  limit = std::min(limit, extent);
  for (int64_t tile = limit; 4 * tile > 3 * limit; --tile) {
    if (extent % tile == 0) return tile;
  }
  return limit;
}

// The lanes of the vectors that rows are made of. A tail is a vector with a mask, which takes the
// time of about two whole ones. So a row of 28 elements is two vectors of 14 lanes, not one of 16
// and a tail of 12; but one of 196 elements has twelve of 16 and a tail.
int64_t RowLanes(const StageWork& work) {
  const ir::ComputeOp& compute = *work.facts.compute;
  const int64_t extent = ExtentOf(compute.axis[work.facts.vector_axis]), lanes = work.lanes();
  if (extent % lanes == 0 || extent <= lanes) return lanes;
  const int64_t with_tail = extent / lanes + 2;
  for (int64_t fewer = lanes - 1; 2 * fewer >= lanes; --fewer) {
    if (extent % fewer == 0) return extent / fewer < with_tail ? fewer : lanes;
  }
  return lanes;
}

RegisterTile TileOf(const StageWork& work, int64_t lanes) {
  const ir::ComputeOp& compute = *work.facts.compute;
  const int64_t rows = ExtentOf(compute.axis[work.facts.row_axis]),
                columns = ExtentOf(compute.axis[work.facts.vector_axis]);
  RegisterTile tile =
      WithWholeTiles(ChooseRegisterTile(rows, columns, lanes, work.machine), columns, lanes);
  tile.rows = work.config.Ask({"default.tile_rows", NearestDivisor(rows, tile.rows), 1, 32,
                               "rows of sums of a contraction in registers"});
  tile.columns = lanes * work.config.Ask({"default.tile_vectors", tile.columns / lanes, 1, 16,
                                          "vectors of a row of sums in registers"});
  return tile;
}

// Is a panel of the shared operand worth copying, given the number of rows that use it?
bool WantsPanels(const StageWork& work, const RegisterTile& tile) {
  const Facts& facts = work.facts;
  if (facts.shared < 0) return false;
  if (!facts.shared_is_contiguous) return true;
  const ir::ComputeOp& compute = *facts.compute;
  if (ExtentOf(compute.axis[facts.row_axis]) < 8 * tile.rows) return false;
  // Each index must be one axis, so that what is copied is read once. Windows overlap.
  const Access& access = facts.accesses[static_cast<size_t>(facts.shared)];
  for (const ir::Expr& index : access.indices) {
    if (ir::As<ir::VarNode>(index) == nullptr) return false;
  }
  // Copy if one step of the reduction moves by half a page or more: caches and TLBs suffer from
  // that.
  const int64_t bytes = access.tensor->dtype().bits() / 8;
  for (size_t k = compute.axis.size(); k < access.steps.size(); ++k) {
    if (access.steps[k].linear && access.steps[k].step * bytes >= 2048 &&
        ExtentOf(compute.axis[facts.vector_axis]) > tile.columns)
      return true;
  }
  return false;
}

// Is the whole reduction only a few steps? Unrolled, it keeps its weights in registers.
bool IsSmallWindow(const ir::ComputeOp& compute, const RegisterTile& tile, int64_t lanes) {
  int64_t steps = 1;
  for (const IterVar& axis : compute.reduce_axis) steps *= ExtentOf(axis);
  return steps <= 16 && steps * tile.rows * (tile.columns / lanes) <= 256;
}

// Copies the shared operand at loop `place` of `out`, if that is possible and the knob says so.
void AskPanels(const StageWork& work, const Tensor& sums, const RegisterTile& tile, Stage* out,
               const IterVar& place) {
  const Facts& facts = work.facts;
  if (facts.shared < 0) return;
  const auto operand = static_cast<size_t>(facts.shared);
  const std::optional<PanelAxis> along =
      PanelAxisOf(*facts.compute, facts.accesses, operand, facts.vector_axis);
  if (!along) return;
  const bool panels = work.config.Ask({"default.panels", WantsPanels(work, tile) ? 1 : 0, 0, 1,
                                       "the shared operand is copied into panels"}) != 0;
  if (!panels) return;
  schedule::Schedule s = work.schedule;
  CopyPanel(s, facts.accesses[operand].tensor, s[sums].op, out, place, *along, work.lanes());
}

// Tiles one below the other that a thread takes at once: what of the other operand stays near
// meanwhile. Fewer if the threads would not all get a block, unless each block copies a panel.
int64_t BlockTiles(const StageWork& work, const RegisterTile& tile) {
  constexpr int64_t kTiles = 16;
  if (!ForThreads(work) || WantsPanels(work, tile)) return kTiles;
  const ir::ComputeOp& compute = *work.facts.compute;
  int64_t pieces = 1, tiles = 1;
  for (size_t axis = work.facts.taken; axis < compute.axis.size(); ++axis) {
    const int64_t extent = ExtentOf(compute.axis[axis]);
    if (axis == work.facts.row_axis) {
      tiles = (extent + tile.rows - 1) / tile.rows;
    } else {
      const int64_t of_piece = axis == work.facts.vector_axis ? tile.columns : 1;
      pieces *= (extent + of_piece - 1) / of_piece;
    }
    if (pieces >= 2 * kEnoughForThreads) return kTiles;
  }
  return std::clamp<int64_t>(tiles * pieces / (2 * kEnoughForThreads), 1, kTiles);
}

bool IsSymbolic(const IterVar& axis) { return ir::AsConstInt(axis->domain->extent) == nullptr; }

// How many of the loops `outer` (the axes of neither rows nor columns, columns, blocks of rows) are
// fused for threads. Conditions on a fused axis of symbolic extent are not simple enough to move
// out of the tile, so symbolic ones stay apart if the loops before them are work for all threads.
size_t FusedForThreads(const StageWork& work, const RegisterTile& tile, size_t outer) {
  const ir::ComputeOp& compute = *work.facts.compute;
  const IterVar& column = compute.axis[work.facts.vector_axis];
  int64_t pieces = 1;
  for (size_t axis = work.facts.taken; axis < compute.axis.size(); ++axis) {
    if (axis != work.facts.row_axis && axis != work.facts.vector_axis) {
      pieces *= ExtentOf(compute.axis[axis]);
    }
  }
  if (IsSymbolic(column)) return outer > 2 && pieces >= kEnoughForThreads ? outer - 2 : outer;
  pieces *= ExtentOf(column) / tile.columns;
  const bool rows_apart =
      IsSymbolic(compute.axis[work.facts.row_axis]) && pieces >= kEnoughForThreads;
  return rows_apart ? outer - 1 : outer;
}

}  // namespace

void ScheduleContraction(const StageWork& work, const Tensor& sink) {
  schedule::Schedule s = work.schedule;
  const Facts& facts = work.facts;
  const ir::ComputeOp& compute = *facts.compute;
  const int64_t lanes = RowLanes(work);
  const RegisterTile tile = TileOf(work, lanes);
  const bool own = ir::SameTensor(sink, work.tensor);
  const Tensor sums =
      own ? schedule::CacheWrite(s, work.tensor, ir::memory_scope::kLocal)[0] : work.tensor;
  Stage& out = s[sink];
  // Else a panel, which is larger, may leave no place for them on the stack.
  if (!own) schedule::SetScope(s[sums], ir::memory_scope::kLocal);
  const size_t data = compute.axis.size();

  const IterVar row = AxisOf(sink, facts.row_axis), column = AxisOf(sink, facts.vector_axis);
  auto [rows, r] = schedule::Split(out, row, tile.rows);
  auto [blocks, row_tile] = schedule::Split(
      out, rows,
      work.config.Ask({"default.block_tiles", BlockTiles(work, tile), 1, 1024,
                       "tiles one below the other that a thread takes at once: what of the other "
                       "operand stays near meanwhile"}));
  auto [columns, v] = schedule::Split(out, column, tile.columns);
  std::vector<IterVar> outer;
  for (size_t axis = 0; axis < data; ++axis) {
    if (axis != facts.row_axis && axis != facts.vector_axis) outer.push_back(AxisOf(sink, axis));
  }
  // A loop that is fused for threads cannot be cut into whole tiles and a tail.
  const bool tail = ForThreads(work) && !IsSymbolic(compute.axis[facts.vector_axis]) &&
                    HasFewAndTail(ExtentOf(compute.axis[facts.vector_axis]), tile, work.lanes());
  outer.push_back(tail ? blocks : columns);
  outer.push_back(tail ? columns : blocks);
  std::vector<IterVar> order = outer;
  for (const IterVar& axis : {row_tile, r, v}) order.push_back(axis);
  schedule::Reorder(out, order);
  schedule::Unroll(out, r);
  VectorizeRow(out, v, lanes);
  IterVar panel_place = columns;
  if (ForThreads(work)) {
    const size_t fused = tail ? outer.size() - 1 : FusedForThreads(work, tile, outer.size());
    const bool columns_apart = tail || fused + 2 == outer.size();
    // Of symbolic columns, whole vectors are computed without conditions.
    if (columns_apart) schedule::Pragma(out, columns, ir::pragma::kLoopPartitionHint);
    outer.resize(fused);
    const IterVar parallel = schedule::Fuse(out, outer);
    schedule::Parallel(out, parallel);
    if (!columns_apart) panel_place = parallel;
  }
  // A symbolic extent may end within a tile: whole tiles are computed without conditions, too.
  if (IsSymbolic(row) || ExtentOf(row) % tile.rows != 0)
    schedule::Pragma(out, row_tile, ir::pragma::kLoopPartitionHint);

  schedule::ComputeAt(s[sums], out, row_tile);
  Stage& inner = s[sums];
  std::vector<IterVar> sum_order;
  for (size_t k = 0; k < compute.reduce_axis.size(); ++k)
    sum_order.push_back(schedule::ReduceAxisOf(sums, k));
  const IterVar sum_row = AxisOf(sums, facts.row_axis),
                sum_column = AxisOf(sums, facts.vector_axis);
  sum_order.push_back(sum_row);
  sum_order.push_back(sum_column);
  schedule::Reorder(inner, sum_order);
  schedule::Unroll(inner, sum_row);
  VectorizeRow(inner, sum_column, lanes);
  if (IsSmallWindow(compute, tile, lanes)) {
    for (size_t k = 0; k < compute.reduce_axis.size(); ++k) schedule::Unroll(inner, sum_order[k]);
  }
  AskPanels(work, sums, tile, &out, panel_place);
}

}  // namespace lathe::topi::cpu
