#include "topi/cpu/matmul.h"

#include <utility>
#include <vector>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;
using te::Tensor;

// Copies `b` into panels of `columns` columns before the product. If `b` is inlined, the copy
// computes it.
void Pack(const OperatorWork& work, const Tensor& sums, const Tensor& b, int64_t columns,
          bool parallel) {
  Schedule s = work.schedule;
  const size_t first = b->shape().size() - 2;
  const Tensor panels = schedule::CacheRead(s, b, ir::memory_scope::kGlobal, {s[sums].op});
  const std::string width = std::to_string(columns), k = "d" + std::to_string(first),
                    j = "d" + std::to_string(first + 1);
  std::vector<std::string> map = {j + " // " + width, k, j + " % " + width};
  if (first > 0) map.insert(map.begin(), "d0");
  schedule::TransformLayout(s, panels, map);
  schedule::Stage& stage = s[panels];
  auto [panel, column] = schedule::Split(stage, AxisOf(panels, first + 1), columns);
  schedule::Reorder(stage, {panel, AxisOf(panels, first), column});
  VectorizeRow(stage, column, work.machine.Lanes(b->dtype()));
  if (!parallel) return;
  std::vector<IterVar> outer = {panel};
  if (first > 0) outer.insert(outer.begin(), AxisOf(panels, 0));
  schedule::Parallel(stage, outer.size() == 1 ? outer[0] : schedule::Fuse(stage, outer));
}

bool Reads(const ir::Expr& operand, const std::vector<ir::Expr>& indices) {
  const auto* load = ir::As<ir::Load>(operand);
  if (load == nullptr || load->indices.size() != indices.size()) return false;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!load->indices[i].same_as(indices[i])) return false;
  }
  return true;
}

}  // namespace

std::string WhyNotMatmul(const ir::Op& result, const target::Machine&) {
  const size_t rank = ir::OutputOf(result, 0)->shape().size();
  if (rank != 2 && rank != 3) return "neither matrices nor batches of them";
  if (ir::InputsOf(*result).size() != 2) return "not a product of two matrices";
  const auto* compute = ir::As<ir::ComputeOp>(result);
  if (compute == nullptr || compute->reduce_axis.size() != 1) return "not one sum";
  const auto* sum = ir::As<ir::Reduce>(compute->body[0]);
  const auto* product = sum == nullptr ? nullptr : ir::As<ir::Mul>(sum->sources[0]);
  if (product == nullptr) return "not a sum of products";
  std::vector<ir::Expr> of_a, of_b;  // the indices that the operands must have
  for (const IterVar& axis : compute->axis) of_a.push_back(axis->var);
  of_b = of_a;
  of_a.back() = of_b[rank - 2] = compute->reduce_axis[0]->var;
  return Reads(product->a, of_a) && Reads(product->b, of_b)
             ? ""
             : "its operands are not read as A[i, k] and B[k, j]";
}

void ScheduleMatmul(const OperatorWork& work) {
  Schedule s = work.schedule;
  const size_t first = work.result->shape().size() - 2;  // 1 if there are batches
  const int64_t lanes = work.machine.Lanes(work.result->dtype());
  const int64_t m = ConstExtent(work.result, first), n = ConstExtent(work.result, first + 1),
                k = *ir::AsConstInt(schedule::ReduceAxisOf(work.result, 0)->domain->extent);
  RegisterTile tile = WithWholeTiles(ChooseRegisterTile(m, n, lanes, work.machine), n, lanes);
  tile.rows = work.config.Ask({"matmul.tile_rows", tile.rows, 1, 32, "rows of sums in registers"});
  tile.columns = lanes * work.config.Ask({"matmul.tile_vectors", tile.columns / lanes, 1, 16,
                                          "vectors of a row of sums in registers"});
  const int64_t tiles = work.config.Ask(
      {"matmul.block_tiles", 8, 1, 1024, "tiles one below the other that a thread takes at once"});
  const int64_t batch = first > 0 ? ConstExtent(work.result, 0) : 1;
  const bool parallel = WorthThreads(2.0 * static_cast<double>(batch) * static_cast<double>(m) *
                                     static_cast<double>(n) * static_cast<double>(k));
  const Tensor b = ir::InputsOf(*work.result->op)[1];
  const Tensor c = work.has_epilogue() ? work.sink : work.result;
  const Tensor sums = work.has_epilogue()
                          ? work.result
                          : schedule::CacheWrite(s, work.result, ir::memory_scope::kLocal)[0];

  auto t = schedule::Tile(s[c], AxisOf(c, first), AxisOf(c, first + 1), tile.rows, tile.columns);
  auto [block, row] = schedule::Split(s[c], t.x_outer, tiles);
  // A loop that is fused for threads cannot be cut into whole tiles and a tail. Of twice as many
  // columns a tail counts if it needs guards within a vector, and threads find blocks of rows.
  const int64_t blocks = batch * ((m + tile.rows * tiles - 1) / (tile.rows * tiles));
  const bool in_vector = n % lanes != 0 && n < 32 * lanes && blocks >= work.machine.cores;
  const bool tail = parallel && (HasFewAndTail(n, tile, lanes) || in_vector);
  std::vector<IterVar> outer = {t.y_outer, block};
  if (tail) std::swap(outer[0], outer[1]);
  schedule::Reorder(s[c], {outer[0], outer[1], row, t.x_inner, t.y_inner});
  schedule::Unroll(s[c], t.x_inner);
  VectorizeRow(s[c], t.y_inner, lanes);
  if (tail) {
    schedule::Pragma(s[c], t.y_outer, ir::pragma::kLoopPartitionHint);
    outer.pop_back();
  }
  if (parallel) {
    if (first > 0) outer.insert(outer.begin(), AxisOf(c, 0));
    schedule::Parallel(s[c], outer.size() == 1 ? outer[0] : schedule::Fuse(s[c], outer));
  }
  if (m % tile.rows != 0) schedule::Pragma(s[c], row, ir::pragma::kLoopPartitionHint);

  schedule::ComputeAt(s[sums], s[c], row);
  const IterVar i = AxisOf(sums, first), j = AxisOf(sums, first + 1);
  schedule::Reorder(s[sums], {schedule::ReduceAxisOf(sums, 0), i, j});
  schedule::Unroll(s[sums], i);
  VectorizeRow(s[sums], j, lanes);

  const bool in_place = n <= tile.columns || k * n * b->dtype().bytes() <= work.machine.l1.bytes;
  if (work.config.Ask({"matmul.pack", in_place ? 0 : 1, 0, 1, "B is copied into panels"}) != 0)
    Pack(work, sums, b, tile.columns, parallel);
}

}  // namespace lathe::topi::cpu
