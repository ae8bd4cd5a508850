#include "topi/cpu/gemm.h"

#include <algorithm>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::Schedule;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// B needs no packing in two cases. A B of one panel is packed already. A B of whole panels that
// fits into the first-level cache is read in place: packing would be a second pass over memory, and
// the rows of a panel do not evict each other from that cache.
bool InPlace(int64_t k, int64_t n, DataType dtype, int64_t tile_columns,
             const target::Machine& machine) {
  return n == tile_columns || (n % tile_columns == 0 && k * n * dtype.bytes() <= machine.l1.bytes);
}

// The number of rows of a register tile, as a knob.
int64_t AskTileRows(Config& config, int64_t otherwise) {
  return config.Ask({"gemm.tile_rows", otherwise, 1, 32, "rows of sums in registers"});
}

}  // namespace

RegisterTile ChooseRegisterTile(int64_t m, int64_t n, int64_t lanes,
                                const target::Machine& machine) {
  const bool many = machine.vector_registers >= 32;
  // Takes as many of n's vectors as possible without a tile that is mostly padding.
  const int64_t needed = CeilDivide(n, lanes), most = many ? 4 : 2;
  int64_t vectors = std::min(needed, most);
  for (int64_t v = vectors; v >= 2; --v) {
    if (CeilDivide(needed, v) * v < CeilDivide(needed, vectors) * vectors) vectors = v;
  }
  const int64_t limit = std::min<int64_t>((many ? 26 : 12) / vectors, many ? 14 : 12);
  RegisterTile tile{std::min(limit, m), vectors * lanes};
  for (int64_t rows = tile.rows; rows > limit / 2; --rows) {
    if (CeilDivide(m, rows) * rows < CeilDivide(m, tile.rows) * tile.rows) tile.rows = rows;
  }
  return tile;
}

RegisterTile WithWholeTiles(RegisterTile tile, int64_t n, int64_t lanes) {
  if (n % lanes != 0 && n > lanes && n <= tile.columns) tile.columns = n / lanes * lanes;
  return tile;
}

bool HasFewAndTail(int64_t n, const RegisterTile& tile, int64_t lanes) {
  return n % tile.columns != 0 && n < 16 * lanes;
}

void ScheduleMatmulInPanels(const OperatorWork& work) {
  Schedule s = work.schedule;
  const te::Tensor& c = work.result;
  const size_t first = c->shape().size() - 2;  // 1 if there are batches
  const te::Tensor padded = ir::InputsOf(*c->op)[0],
                   packed = ir::OutputOf(PartOf(c->op, part::kPacked), 0);
  const DataType dtype = c->dtype();
  const int64_t lanes = work.machine.Lanes(dtype);
  const int64_t m = ConstExtent(c, first), n = ConstExtent(c, first + 1),
                k = ConstExtent(packed, first + 1), columns = ConstExtent(packed, first + 2);
  const int64_t rows = AskTileRows(work.config, ChooseRegisterTile(m, n, lanes, work.machine).rows);
  const int64_t batch = first > 0 ? ConstExtent(c, 0) : 1;
  const bool parallel = WorthThreads(2.0 * static_cast<double>(batch) * static_cast<double>(m) *
                                     static_cast<double>(n) * static_cast<double>(k));

  auto t = schedule::Tile(s[c], AxisOf(c, first), AxisOf(c, first + 1), rows, columns);
  // Rows of tiles in blocks: a thread takes one block at once, and meanwhile the block's rows of A
  // stay in a near cache. (With 16 of them two threads waited for each other at the end of a tall
  // product.)
  const int64_t tiles = work.config.Ask(
      {"gemm.block_tiles", 8, 1, 1024, "tiles one below the other that a thread takes at once"});
  auto [block, row] = schedule::Split(s[c], t.x_outer, tiles);
  schedule::Reorder(s[c], {t.y_outer, block, row, t.x_inner, t.y_inner});
  schedule::Unroll(s[c], t.x_inner);
  VectorizeRow(s[c], t.y_inner, lanes);
  if (parallel) {
    std::vector<IterVar> outer = {t.y_outer, block};
    if (first > 0) outer.insert(outer.begin(), AxisOf(c, 0));
    schedule::Parallel(s[c], schedule::Fuse(s[c], outer));
  }

  schedule::ComputeAt(s[padded], s[c], row);
  const IterVar i = AxisOf(padded, first), j = AxisOf(padded, first + 1);
  schedule::Reorder(s[padded], {schedule::ReduceAxisOf(padded, 0), i, j});
  schedule::Unroll(s[padded], i);
  VectorizeRow(s[padded], j, lanes);

  const bool in_place = InPlace(k, n, dtype, columns, work.machine);
  if (work.config.Ask({"gemm.pack", in_place ? 0 : 1, 0, 1, "B is copied into panels"}) == 0) {
    schedule::ComputeInline(s[packed]);
    return;
  }
  VectorizeRow(s[packed], AxisOf(packed, first + 2), lanes);
  if (parallel) {
    std::vector<IterVar> outer = {AxisOf(packed, first)};
    if (first > 0) outer.insert(outer.begin(), AxisOf(packed, 0));
    schedule::Parallel(s[packed], outer.size() == 1 ? outer[0] : schedule::Fuse(s[packed], outer));
  }
}

Kernel Gemm(const GemmShape& shape, DataType dtype, const target::Machine& machine, Config config) {
  const int64_t lanes = machine.Lanes(dtype);
  RegisterTile tile = ChooseRegisterTile(shape.m, shape.n, lanes, machine);
  tile.rows = AskTileRows(config, tile.rows);
  tile.columns = lanes * config.Ask({"gemm.tile_vectors", tile.columns / lanes, 1, 16,
                                     "vectors of a row of sums in registers"});
  const auto matrix = [&](int64_t rows, int64_t columns, const char* name) {
    te::Shape dims = {ir::Int(rows), ir::Int(columns)};
    if (shape.batch > 0) dims.insert(dims.begin(), ir::Int(shape.batch));
    return te::Placeholder(dims, dtype, name);
  };
  const te::Tensor a = matrix(shape.m, shape.k, "A"), b = matrix(shape.k, shape.n, "B");
  const te::Tensor c = ops::MatmulInPanels(a, b, tile);
  Schedule s = schedule::CreateSchedule({c->op});
  ScheduleMatmulInPanels({s, c, machine, config});
  return {s, {a, b, c}};
}

void ScheduleMatvec(const OperatorWork& work) {
  Schedule s = work.schedule;
  const te::Tensor& y = work.result;
  const IterVar sum = schedule::ReduceAxisOf(y, 0);
  const int64_t lanes = work.machine.Lanes(y->dtype());
  const IterVar outer = schedule::Split(s[y], sum, lanes).first;
  const te::Tensor lane_sums = schedule::RFactor(s, y, s[y].leaf_axes.back(), /*factor_axis=*/1)[0];
  // Four rows at once, so that x is read once for all of them.
  const int64_t rows = work.config.Ask({"gemv.rows", 4, 1, 16, "rows that are added up at once"});
  auto [block, row] = schedule::Split(s[y], AxisOf(y, 0), rows);
  schedule::ComputeAt(s[lane_sums], s[y], block);
  const IterVar r = AxisOf(lane_sums, 0), lane = AxisOf(lane_sums, 1);
  schedule::Reorder(s[lane_sums], {outer, r, lane});
  schedule::Unroll(s[lane_sums], r);
  schedule::Vectorize(s[lane_sums], lane);
  schedule::Unroll(s[y], row);
  schedule::Unroll(s[y], s[y].leaf_axes.back());
  const int64_t k = *ir::AsConstInt(sum->domain->extent);
  if (WorthThreads(2.0 * static_cast<double>(ConstExtent(y, 0)) * static_cast<double>(k))) {
    schedule::Parallel(s[y], block);
  }
}

Kernel Gemv(int64_t m, int64_t k, DataType dtype, const target::Machine& machine, Config config) {
  const te::Tensor a = te::Placeholder({ir::Int(m), ir::Int(k)}, dtype, "A");
  const te::Tensor x = te::Placeholder({ir::Int(k)}, dtype, "x");
  const te::Tensor y = ops::Matvec(a, x);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleMatvec({s, y, machine, config});
  return {s, {a, x, y}};
}

}  // namespace lathe::topi::cpu
