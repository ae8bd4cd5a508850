#include "topi/cpu/dot_matmul.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/dot_intrinsics.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/pack_rows.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

// The operands, and where the result's last three dimensions are.
struct Product {
  explicit Product(const Tensor& result) : result(result) {
    const std::vector<Tensor> inputs = ir::InputsOf(*result->op);
    a = inputs[0], b = inputs[1];
    row = result->shape().size() - 3, panel = row + 1, column = row + 2;
  }
  int64_t m() const { return ConstExtent(result, row); }
  int64_t panels() const { return ConstExtent(result, panel); }
  int64_t columns() const { return ConstExtent(result, column); }
  // Of what is summed: of the left operand it need not be known.
  int64_t k() const { return ConstExtent(b, b->shape().size() - 3) * group(); }
  int64_t group() const { return ConstExtent(b, b->shape().size() - 1); }
  double Operations() const {
    double operations = 2 * static_cast<double>(k());
    for (size_t d = 0; d < result->shape().size(); ++d)
      operations *= static_cast<double>(ConstExtent(result, d));
    return operations;
  }

  Tensor result, a, b;
  size_t row = 0, panel = 0, column = 0;
};

// Rows that a call of tiles computes: they divide all rows, because tiles are not cut off at a
// tail, and leave half of the second cache. All rows, if only small numbers divide them.
int64_t RowsOfCall(const Product& p, const target::Machine& machine) {
  constexpr int64_t kMostAlone = 1024;
  const int64_t row_bytes = p.k() * p.a->dtype().bytes();
  const int64_t most = std::clamp<int64_t>(machine.l2.bytes / 2 / row_bytes / 32 * 32, 32, 256);
  const int64_t rows = TileRowsOf(p.m(), most);
  return rows < 32 && p.m() <= kMostAlone ? p.m() : rows;
}

DotChoice DotOf(const Product& p, const target::Machine& machine) {
  const auto choose = [&](int64_t m) {
    return ChooseDot(p.a->dtype(), p.b->dtype(), m, p.columns(), machine);
  };
  const DotChoice best = choose(p.m());
  const bool fits = best.tile != nullptr
                        ? p.columns() == kTileBlockColumns && p.k() % best.tile->depth() == 0 &&
                              RowsOfCall(p, machine) >= kLeastTileRows
                        : best.dot == nullptr || best.dot->rows == 1;
  return fits ? best : choose(1);
}

class Scheduler {
 public:
  Scheduler(const OperatorWork& work, const Product& p)
      : work_(work),
        p_(p),
        s_(work.schedule),
        out_(work.has_epilogue() ? work.sink : work.result),
        sums_(work.has_epilogue()
                  ? work.result
                  : schedule::CacheWrite(s_, work.result, ir::memory_scope::kLocal)[0]) {}

  void ByTiles(const TileRow& tile) {
    const int64_t rows = LargestDivisor(
        p_.m(), work_.config.Ask({"dot_matmul.call_rows", RowsOfCall(p_, work_.machine), 1, 1024,
                                  "most rows that are computed with tiles at once"}));
    ComputeSumsIn(Loops(rows, 1));
    schedule::Tensorize(s_[sums_], AxisOf(sums_, p_.row),
                        TileIntrin(tile, rows, p_.k() / tile.depth()));
  }

  void ByVectors(const DotRow& dot) {
    // Steps of several instructions need registers for intermediate values.
    const int64_t registers = work_.machine.vector_registers / (dot.instructions > 2 ? 2 : 1),
                  vectors = p_.columns() / dot.columns;
    const int64_t rows = LargestDivisor(
        p_.m(),
        work_.config.Ask({"dot_matmul.rows", std::max<int64_t>(1, (registers - 4) / vectors), 1, 32,
                          "most rows of sums in registers"}));
    // Few rows leave registers for several panels: more chains of sums, and more requests to memory
    // at a time. (One row by weights in memory: 10.4 to 15.3 GB/s on a Xeon, which reads 15.)
    const int64_t beside = LargestDivisor(
        p_.panels(),
        work_.config.Ask({"dot_matmul.panels",
                          std::clamp<int64_t>((registers - 4) / (vectors * rows), 1, 4), 1, 8,
                          "most panels whose sums are in registers"}));
    ComputeSumsIn(Loops(rows, beside));
    schedule::Unroll(s_[out_], inner_row_);
    schedule::Unroll(s_[out_], inner_panel_);
    schedule::Stage& sums = s_[sums_];
    const auto [vector, lane] = schedule::Split(sums, AxisOf(sums_, p_.column), dot.columns);
    const auto [row, one] = schedule::Split(sums, AxisOf(sums_, p_.row), 1);
    const IterVar panel = AxisOf(sums_, p_.panel);
    schedule::Reorder(
        sums, {ReduceAxisOf(sums_, 0), row, panel, vector, one, lane, ReduceAxisOf(sums_, 1)});
    schedule::Unroll(sums, row);
    schedule::Unroll(sums, panel);
    schedule::Unroll(sums, vector);
    schedule::Tensorize(sums, one, DotIntrin(dot));
  }

 private:
  // The result's loops, with `rows` rows of `beside` panels inside. Returns the innermost loop
  // around them.
  IterVar Loops(int64_t rows, int64_t beside) {
    schedule::Stage& out = s_[out_];
    const auto [outer, inner] = schedule::Split(out, AxisOf(out_, p_.row), rows);
    const auto [panel, inner_panel] = schedule::Split(out, AxisOf(out_, p_.panel), beside);
    inner_row_ = inner, inner_panel_ = inner_panel;
    std::vector<IterVar> shared;
    for (size_t d = 0; d < p_.row; ++d) shared.push_back(AxisOf(out_, d));
    shared.push_back(outer);
    shared.push_back(panel);
    schedule::Reorder(out, {outer, panel, inner, inner_panel, AxisOf(out_, p_.column)});
    VectorizeRow(out, AxisOf(out_, p_.column),
                 std::min(work_.machine.Lanes(p_.result->dtype()), p_.columns()));
    const IterVar all = schedule::Fuse(out, shared);
    if (WorthThreads(p_.Operations())) schedule::Parallel(out, all);
    return all;
  }

  void ComputeSumsIn(const IterVar& loop) {
    schedule::ComputeAt(s_[sums_], s_[out_], loop);
    schedule::Reorder(s_[sums_],
                      {AxisOf(sums_, p_.panel), AxisOf(sums_, p_.row), AxisOf(sums_, p_.column),
                       ReduceAxisOf(sums_, 0), ReduceAxisOf(sums_, 1)});
  }

  const OperatorWork& work_;
  const Product& p_;
  Schedule s_;
  const Tensor out_, sums_;
  IterVar inner_row_, inner_panel_;
};

// Columns whose elements a vector interleaves.
int64_t PackedColumns(int64_t columns) { return std::gcd(columns, int64_t{16}); }

}  // namespace

std::string WhyNotDotPanels(const ir::Op& result, const target::Machine&) {
  const Tensor panels = ir::OutputOf(result, 0);
  const size_t rank = panels->shape().size();
  const int64_t columns = ConstExtent(panels, rank - 2), group = ConstExtent(panels, rank - 1);
  if (group != 2 && group != 4) return "its dot products are not of two or four elements";
  return PackedColumns(columns) >= 8 ? "" : "panels are not whole vectors";
}

void ScheduleDotPanels(const OperatorWork& work) {
  const Tensor panels = work.result;
  const size_t rank = panels->shape().size();
  schedule::Stage& stage = work.schedule[panels];
  const int64_t columns = PackedColumns(ConstExtent(panels, rank - 2));
  const IterVar inner = schedule::Split(stage, AxisOf(panels, rank - 2), columns).second;
  schedule::Tensorize(
      stage, inner, PackRowsIntrin(ConstExtent(panels, rank - 1), columns, panels->dtype(), false));
  double elements = 1;
  std::vector<IterVar> outer;
  for (size_t d = 0; d < rank; ++d) {
    elements *= static_cast<double>(ConstExtent(panels, d));
    if (d + 3 < rank) outer.push_back(AxisOf(panels, d));
  }
  const IterVar all = outer.size() == 1 ? outer[0] : schedule::Fuse(stage, outer);
  if (WorthThreads(elements)) schedule::Parallel(stage, all);
}

std::string WhyNotDotMatmul(const ir::Op& result, const target::Machine& machine) {
  if (ir::OutputOf(result, 0)->shape().size() < 3) return "it has no rows";
  if (ir::InputsOf(*result).size() != 2) return "not a product of two operands";
  const Product p(ir::OutputOf(result, 0));
  const DotChoice dot = DotOf(p, machine);
  if (!dot.found() || dot.shifted()) return "this machine has no dot product of these operands";
  const int64_t group = dot.tile != nullptr ? dot.tile->group() : dot.dot->depth,
                columns = dot.tile != nullptr ? kTileBlockColumns : dot.dot->columns;
  if (p.group() != group) return "its operands are those of another dot product";
  if (p.result->dtype() != (dot.tile != nullptr ? dot.tile->sum : dot.dot->sum))
    return "its sums have another type than those of the dot product";
  return p.columns() % columns == 0 ? "" : "panels are not whole vectors of the dot product";
}

void ScheduleDotMatmul(const OperatorWork& work) {
  const Product p(work.result);
  const DotChoice dot = DotOf(p, work.machine);
  Scheduler scheduler(work, p);
  if (dot.tile != nullptr) {
    scheduler.ByTiles(*dot.tile);
  } else {
    scheduler.ByVectors(*dot.dot);
  }
}

}  // namespace lathe::topi::cpu
