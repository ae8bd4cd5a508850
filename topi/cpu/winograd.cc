#include "topi/cpu/winograd.h"

#include <algorithm>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/conv2d_stages.h"
#include "topi/cpu/loops.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

// Tiles that share the weights of a strip's products: with fewer, reading weights takes longer than
// multiplying.
constexpr int64_t kTilesOfStrip = 24;  // graph/passes/winograd.cc estimates with this number

struct Stages {
  Tensor padded, data_rows, transformed, products, rows, result;
  int64_t tile_size() const { return ConstExtent(rows, 0); }
  int64_t down() const { return (ConstExtent(result, 2) + tile_size() - 1) / tile_size(); }
  int64_t across() const { return (ConstExtent(result, 3) + tile_size() - 1) / tile_size(); }
};

Stages StagesOf(const OperatorWork& work) {
  const auto part = [&](const char* name) {
    return ir::OutputOf(PartOf(work.result->op, name), 0);
  };
  Stages stages{part(part::kPadded),      part(part::kDataRows),
                part(part::kTransformed), {},
                part(part::kRows),        work.result};
  for (const ir::Op& op : OperatorOf(work.result->op)) {
    if (!AnchorOf(*op).empty()) stages.products = ir::OutputOf(op, 0);
  }
  return stages;
}

// The smallest divisor of `down` that gives a strip enough tiles.
int64_t RowsOfStrip(int64_t down, int64_t across) {
  for (int64_t rows = 1; rows < down; ++rows) {
    if (down % rows == 0 && rows * across >= kTilesOfStrip) return rows;
  }
  return down;
}

// Blocks of results whose sums are in registers beside each other.
int64_t BlocksOf(const Tensor& products, int64_t vectors_of_block) {
  if (vectors_of_block > 1) return 1;
  return ConstExtent(products, 2) % 2 == 0 ? 2 : 1;
}

// A transform in registers, one vector of a tile's channels at a time: both axes of the tile are
// straight code. Returns the loops over all else, outermost first.
std::vector<IterVar> ScheduleTransform(Schedule s, const Tensor& transformed,
                                       const Tensor& data_rows, int64_t lanes) {
  schedule::Stage& stage = s[transformed];
  auto [vector, lane] = schedule::Split(stage, AxisOf(transformed, 4), lanes);
  const IterVar e = AxisOf(transformed, 0), n = AxisOf(transformed, 1);
  std::vector<IterVar> around = {AxisOf(transformed, 2), AxisOf(transformed, 3)};
  schedule::Reorder(stage, {around[0], around[1], vector, e, n, lane});
  schedule::Unroll(stage, e);
  schedule::Unroll(stage, n);
  schedule::Vectorize(stage, lane);
  schedule::ComputeAt(s[data_rows], stage, e);
  schedule::Unroll(s[data_rows], AxisOf(data_rows, 0));
  schedule::Unroll(s[data_rows], AxisOf(data_rows, 1));
  schedule::Vectorize(s[data_rows], AxisOf(data_rows, 4));
  return around;
}

// Products of matrices: `tiles` is how many there are at once. Returns the loops around the
// register tile that can be shared out.
std::vector<IterVar> ScheduleProducts(const OperatorWork& work, const Tensor& products,
                                      int64_t tiles, int64_t lanes) {
  const int64_t of_block = ConstExtent(products, 4) / lanes;
  const int64_t blocks = work.config.Ask({"winograd.blocks", BlocksOf(products, of_block), 1, 4,
                                          "blocks of output channels in registers"});
  const int64_t vectors = blocks * of_block;
  const int64_t most = (work.machine.vector_registers - (vectors == 1 ? 3 : 4)) / vectors;
  const int64_t rows = work.config.Ask(
      {"winograd.tiles", ConvTile(tiles, std::max<int64_t>(1, most)), 1, 32, "tiles in registers"});
  schedule::Stage& stage = work.schedule[products];
  const IterVar e = AxisOf(products, 0), n = AxisOf(products, 1), lane = AxisOf(products, 4);
  auto [o_outer, o_inner] = schedule::Split(stage, AxisOf(products, 2), blocks);
  auto [p_outer, p_inner] = schedule::Split(stage, AxisOf(products, 3), rows);
  schedule::Reorder(stage, {e, n, o_outer, p_outer, ReduceAxisOf(products, 0),
                            ReduceAxisOf(products, 1), p_inner, o_inner, lane});
  schedule::Unroll(stage, p_inner);
  schedule::Unroll(stage, o_inner);
  VectorizeRow(stage, lane, lanes);
  return {e, n, o_outer};
}

}  // namespace

std::string WhyNotWinograd(const ir::Op& result, const target::Machine& machine) {
  const auto is_whole = [&](const ir::Op& op) {
    const Tensor tensor = ir::OutputOf(op, 0);
    return ConstExtent(tensor, 4) % machine.Lanes(tensor->dtype()) == 0;
  };
  return is_whole(result) && is_whole(PartOf(result, part::kTransformed))
             ? ""
             : "blocks of channels are no whole vectors";
}

void ScheduleWinograd(const OperatorWork& work) {
  const Stages stages = StagesOf(work);
  Schedule s = work.schedule;
  const int64_t lanes = work.machine.Lanes(work.result->dtype()), m = stages.tile_size();
  const bool parallel = WorthThreads(ConvOperations(stages.products));
  const Tensor out = work.has_epilogue() ? work.sink : work.result;
  if (work.has_epilogue()) schedule::ComputeInline(s[work.result]);
  const int64_t down = stages.down(), across = stages.across();
  const int64_t rows_of_tiles = std::min(
      down, work.config.Ask({"winograd.rows_of_tiles", RowsOfStrip(down, across), 1, 1 << 10,
                             "rows of tiles whose transformed data and products are kept"}));
  // The results of a tile, a vector of channels at a time.
  schedule::Stage& stage = s[out];
  const IterVar image = AxisOf(out, 0), block = AxisOf(out, 1);
  auto [y, row] = schedule::Split(stage, AxisOf(out, 2), m);
  auto [strip, y_inner] = schedule::Split(stage, y, rows_of_tiles);
  auto [x, column] = schedule::Split(stage, AxisOf(out, 3), m);
  auto [vector, lane] = schedule::Split(stage, AxisOf(out, 4), lanes);
  schedule::Reorder(stage, {image, strip, block, y_inner, x, vector, row, column, lane});
  schedule::Unroll(stage, row);
  schedule::Unroll(stage, column);
  schedule::Vectorize(stage, lane);
  schedule::ComputeAt(s[stages.rows], stage, vector);
  schedule::Unroll(s[stages.rows], AxisOf(stages.rows, 0));
  schedule::Unroll(s[stages.rows], AxisOf(stages.rows, 1));
  schedule::Vectorize(s[stages.rows], AxisOf(stages.rows, 4));

  const int64_t strips = ConstExtent(out, 0) * ((down + rows_of_tiles - 1) / rows_of_tiles);
  const bool by_strips = strips > 1 && (!parallel || strips >= work.machine.cores);
  const int64_t tiles = by_strips ? rows_of_tiles * across : ConstExtent(stages.products, 3);
  const std::vector<IterVar> of_data =
      ScheduleTransform(s, stages.transformed, stages.data_rows, lanes);
  const std::vector<IterVar> of_products = ScheduleProducts(work, stages.products, tiles, lanes);
  ScheduleConvFrame(s, stages.padded, parallel);
  if (by_strips) {
    const IterVar each = schedule::Fuse(stage, {image, strip});
    if (parallel) schedule::Parallel(stage, each);
    schedule::ComputeAt(s[stages.transformed], stage, each);
    schedule::ComputeAt(s[stages.products], stage, each);
  } else if (parallel) {
    schedule::Parallel(s[stages.transformed], schedule::Fuse(s[stages.transformed], of_data));
    schedule::Parallel(s[stages.products], schedule::Fuse(s[stages.products], of_products));
    schedule::Parallel(stage, schedule::Fuse(stage, {image, strip, block}));
  }
}

}  // namespace lathe::topi::cpu
