// Reductions. Along rows: partial results in several vectors, combined at the end of each row.
// Along columns: blocks of columns whose results stay in the first-level cache, four rows at a
// time.
#include <algorithm>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/stages.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;

// The data loops of the stage that are not taken yet.
std::vector<IterVar> FreeRows(const StageWork& work) {
  const auto& axes = work.stage().root_axes;
  const size_t data = work.facts.compute->axis.size();
  return {axes.begin() + static_cast<int64_t>(std::min(work.rows, data)),
          axes.begin() + static_cast<int64_t>(data)};
}

// One result of very many elements: each thread reduces pieces of the outermost reduction loop.
Tensor ReducePieces(const StageWork& work) {
  schedule::Stage& stage = work.stage();
  const IterVar outermost = stage.leaf_axes[work.facts.compute->axis.size()];
  const IterVar piece =
      schedule::SplitParts(
          stage, outermost,
          work.config.Ask({"default.reduction_pieces", 64, 1, 4096, "pieces of a whole reduction"}))
          .first;
  schedule::Schedule s = work.schedule;
  const Tensor partial = schedule::RFactor(s, work.tensor, piece, 0)[0];
  schedule::Parallel(s[partial], schedule::AxisOf(partial, 0));
  return partial;
}

}  // namespace

void ScheduleRowReduction(const StageWork& work) {
  schedule::Schedule s = work.schedule;
  Tensor reduced = work.tensor;
  Place place = work.place;
  const std::vector<IterVar> rows = FreeRows(work);
  const size_t data = work.facts.compute->axis.size();
  int64_t results = 1;
  for (const IterVar& row : rows) results *= ExtentOf(row);
  const bool threads = ForThreads(work) && work.rows == 0;
  size_t own_rows = data;
  if (threads && results == 1) {
    reduced = ReducePieces(work);
    own_rows = data + 1;
  }
  // The loop along which memory is contiguous goes innermost.
  schedule::Stage& stage = s[reduced];
  size_t along = work.facts.compute->reduce_axis.size() - 1;
  for (const Access& access : work.facts.accesses) {
    for (size_t k = 0; k < work.facts.compute->reduce_axis.size(); ++k) {
      if (access.IsContiguous(data + k) && ExtentOf(work.facts.compute->reduce_axis[k]) >= 8)
        along = k;
    }
  }
  const int64_t extent = ExtentOf(work.facts.compute->reduce_axis[along]);
  if (along + 1 != work.facts.compute->reduce_axis.size()) {
    std::vector<IterVar> order;
    const size_t first = stage.leaf_axes.size() - work.facts.compute->reduce_axis.size();
    for (size_t k = first; k < stage.leaf_axes.size(); ++k) {
      if (k != first + along) order.push_back(stage.leaf_axes[k]);
    }
    order.push_back(stage.leaf_axes[first + along]);
    schedule::Reorder(stage, order);
  }
  const int64_t lanes = work.lanes();
  const std::vector<Tensor> partials = ReduceInVectors(s, reduced, AskVectors(work), lanes, extent);
  if (results == 1 && threads) {
    // Within the piece of one thread.
    for (const Tensor& partial : partials)
      schedule::ComputeAt(s[partial], s[reduced], schedule::AxisOf(reduced, 0));
    return;
  }
  if (own_rows != 0) {
    IterVar row = s[reduced].root_axes[own_rows - 1];
    if (threads) {
      row = rows.size() == 1 ? rows[0] : schedule::Fuse(s[reduced], rows);
      schedule::Parallel(s[reduced], row);
    }
    for (const Tensor& partial : partials) schedule::ComputeAt(s[partial], s[reduced], row);
    return;
  }
  for (const Tensor& partial : partials) {
    if (place.axis) schedule::ComputeAt(s[partial], *place.stage, place.axis);
  }
}

void ScheduleColumnReduction(const StageWork& work) {
  schedule::Schedule s = work.schedule;
  const std::vector<IterVar> rows = FreeRows(work);
  if (rows.empty()) return;
  const int64_t columns = ExtentOf(rows.back()), lanes = work.lanes();
  const bool vectors = std::all_of(
      work.facts.accesses.begin(), work.facts.accesses.end(), [&](const Access& access) {
        return access.IsVectorizable(work.facts.compute->axis.size() - 1);
      });
  const bool threads = ForThreads(work) && work.rows == 0;
  if (!vectors || columns < lanes || !work.at_root()) {
    if (threads) ParallelOver(work.stage(), rows);
    return;
  }
  const Tensor sums = schedule::CacheWrite(s, work.tensor, ir::memory_scope::kLocal)[0];
  schedule::Stage& stage = work.stage();
  auto [block, column] =
      schedule::Split(stage, rows.back(),
                      work.config.Ask({"default.column_block", std::min<int64_t>(columns, 1024), 1,
                                       1 << 20, "columns whose results are kept near"}));
  schedule::ComputeAt(s[sums], stage, block);
  VectorizeInner(stage, column, 1, lanes);
  if (threads) {
    std::vector<IterVar> outer(rows.begin(), rows.end() - 1);
    outer.push_back(block);
    ParallelOver(stage, outer);
  }
  schedule::Stage& inner = s[sums];
  const size_t data = work.facts.compute->axis.size();
  std::vector<IterVar> order(inner.leaf_axes.begin() + static_cast<int64_t>(data),
                             inner.leaf_axes.end());
  auto [j_outer, j_inner] = schedule::Split(inner, inner.root_axes[data - 1], lanes);
  const IterVar last = order.back();
  // A vector of results is read and written only once for all these steps.
  IterVar steps = last;
  order.pop_back();
  const int64_t at_once = work.config.Ask(
      {"default.column_rows", 4, 1, 64, "rows that are combined at once in a column reduction"});
  if (ExtentOf(work.facts.compute->reduce_axis.back()) > at_once) {
    auto [k_outer, k_inner] = schedule::Split(inner, last, at_once);
    order.push_back(k_outer);
    steps = k_inner;
  }
  for (const IterVar& axis : {j_outer, steps, j_inner}) order.push_back(axis);
  schedule::Reorder(inner, order);
  schedule::Unroll(inner, steps);
  schedule::Vectorize(inner, j_inner);
}

void ScheduleDependent(const StageWork& work) {
  if (ForThreads(work) && work.rows == 0) ParallelOver(work.stage(), FreeRows(work));
}

}  // namespace lathe::topi::cpu
