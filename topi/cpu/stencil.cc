#include "topi/cpu/stencil.h"

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);
// Rows of a strip: many more than it computes twice.
constexpr int64_t kStripRows = 128;
// Vectors of a row that are computed together: their loads overlap (docs/performance.md).
constexpr int64_t kVectors = 4;
// How far ahead the first stage asks memory for its rows. Three of them at once are more than a
// processor's own prefetching keeps up with; measured: 7.9 ms with 3 KB, 8.3 with 2, 8.7 with 6,
// 9.7 without.
constexpr int64_t kBytesAhead = 3072;

Tensor Blur(const Tensor& x, int64_t height, int64_t width, const std::string& name) {
  const auto row = [&](const Expr& i, const Expr& j) {
    return te::At(x, {i, j}) + te::At(x, {i, j + 1}) + te::At(x, {i, j + 2});
  };
  return te::Compute({ir::Int(height), ir::Int(width)},
                     [&](const te::Indices& i) {
                       return (row(i[0], i[1]) + row(i[0] + 1, i[1]) + row(i[0] + 2, i[1])) *
                              ir::Const(1.0 / 9, kFloat);
                     },
                     name, {.axis_names = {"i", "j"}});
}

}  // namespace

Kernel BoxBlurs(int64_t blurs, int64_t height, int64_t width, StencilSchedule schedule,
                const target::Machine& machine) {
  const Tensor x =
      te::Placeholder({ir::Int(height + 2 * blurs), ir::Int(width + 2 * blurs)}, kFloat, "x");
  std::vector<Tensor> stages = {x};
  for (int64_t k = blurs; k-- > 0;) {
    stages.push_back(Blur(stages.back(), height + 2 * k, width + 2 * k,
                          k == 0 ? "y" : "blur" + std::to_string(blurs - k)));
  }
  const Tensor y = stages.back();
  const std::vector<Tensor> inner(stages.begin() + 1, stages.end() - 1);
  Schedule s = schedule::CreateSchedule({y->op});
  const int64_t lanes = machine.Lanes(kFloat);
  const bool parallel = WorthThreads(static_cast<double>(9 * blurs * height * width));
  if (schedule == StencilSchedule::kUnfused) {
    for (size_t k = 1; k < stages.size(); ++k) {
      schedule::Stage& stage = s[stages[k]];
      if (parallel) schedule::Parallel(stage, AxisOf(stages[k], 0));
      StreamResults(stage, AxisOf(stages[k], 0), height * width * kFloat.bytes());
      VectorizeInner(stage, AxisOf(stages[k], 1), kVectors, lanes);
    }
    return {s, {x, y}};
  }
  // Windows: 2 rows and one more for each stage that follows. Columns in blocks, so that the
  // windows of all stages lie in the second-level cache; blocks for the nearest one would be so
  // narrow that neither prefetchers nor pages get far along a row (measured: half as fast as no
  // windows at all).
  int64_t rows = 3;
  for (int64_t k = 1; k < blurs; ++k) rows += 2 * k + 1;
  const int64_t columns =
      std::max(lanes, machine.l2.bytes / 2 / (rows * kFloat.bytes()) / lanes * lanes);
  auto t = schedule::Tile(s[y], AxisOf(y, 0), AxisOf(y, 1), kStripRows, std::min(columns, width));
  schedule::Reorder(s[y], {t.x_outer, t.y_outer, t.x_inner, t.y_inner});
  const IterVar strip = schedule::Fuse(s[y], {t.x_outer, t.y_outer});
  if (parallel) schedule::Parallel(s[y], strip);
  StreamResults(s[y], strip, height * width * kFloat.bytes());
  VectorizeInner(s[y], t.y_inner, kVectors, lanes);
  for (const Tensor& stage : inner) {
    schedule::ComputeAt(s[stage], s[y], t.x_inner);
    schedule::RollingBuffer(s[stage]);
    schedule::StorageAlign(s[stage], AxisOf(stage, 0), lanes, 0);
    const auto [block, vectors] = schedule::Split(s[stage], AxisOf(stage, 1), kVectors * lanes);
    VectorizeRow(s[stage], vectors, lanes);
    if (stage.same_as(inner.front()))
      schedule::Prefetch(s[stage], x, block, kBytesAhead / (kVectors * lanes * kFloat.bytes()));
  }
  return {s, {x, y}};
}

}  // namespace lathe::topi::cpu
