#include "topi/cpu/conv2d_stages.h"

#include <algorithm>
#include <vector>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {

using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;

int64_t ConvTile(int64_t extent, int64_t limit) {
  limit = std::min(limit, extent);
  const auto covered = [&](int64_t tile) { return (extent + tile - 1) / tile * tile; };
  int64_t best = limit;
  for (int64_t tile = limit; 2 * tile > limit; --tile) {
    if (covered(tile) < covered(best)) best = tile;
  }
  return best;
}

ConvStages ConvStagesOf(const OperatorWork& work) {
  Schedule s = work.schedule;
  ConvStages stages;
  if (const ir::Op padded = PartOf(work.result->op, part::kPadded)) {
    stages.padded = ir::OutputOf(padded, 0);
  }
  stages.out = work.has_epilogue() ? work.sink : work.result;
  stages.sum = work.has_epilogue()
                   ? work.result
                   : schedule::CacheWrite(s, work.result, ir::memory_scope::kLocal)[0];
  return stages;
}

int64_t ConvBlocks(const ir::Tensor& out) {
  for (const int64_t blocks : {2, 3}) {
    if (ConstExtent(out, 1) % blocks == 0) return blocks;
  }
  return 1;
}

double ConvOperations(const ir::Tensor& sums) {
  double operations = 2;
  const auto* compute = ir::As<ir::ComputeOp>(sums->op);
  for (const auto& axes : {compute->axis, compute->reduce_axis}) {
    for (const IterVar& axis : axes)
      operations *= static_cast<double>(*ir::AsConstInt(axis->domain->extent));
  }
  return operations;
}

IterVar ScheduleConvTiles(Schedule s, const ir::Tensor& out, const ConvTiles& tiles) {
  auto [f_outer, f_inner] = schedule::Split(s[out], AxisOf(out, 1), tiles.blocks);
  auto [y_outer, y_inner] = schedule::Split(s[out], AxisOf(out, 2), tiles.rows);
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), tiles.columns);
  schedule::Reorder(s[out], {f_outer, y_outer, x_outer, f_inner, y_inner, x_inner});
  schedule::Unroll(s[out], f_inner);
  schedule::Unroll(s[out], y_inner);
  schedule::Unroll(s[out], x_inner);
  VectorizeRow(s[out], AxisOf(out, 4), tiles.lanes);
  std::vector<IterVar> shared = {AxisOf(out, 0), f_outer};
  if (ConstExtent(out, 2) % tiles.rows == 0) {
    shared.push_back(y_outer);
  } else {
    schedule::Pragma(s[out], y_outer, ir::pragma::kLoopPartitionHint);
  }
  if (tiles.parallel) schedule::Parallel(s[out], schedule::Fuse(s[out], shared));
  return x_outer;
}

void ScheduleConvFrame(Schedule s, const ir::Tensor& padded, bool parallel) {
  schedule::Vectorize(s[padded], AxisOf(padded, 4));
  if (!parallel) return;
  schedule::Parallel(s[padded], schedule::Fuse(s[padded], {AxisOf(padded, 0), AxisOf(padded, 1),
                                                           AxisOf(padded, 2)}));
}

}  // namespace lathe::topi::cpu
