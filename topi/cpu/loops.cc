#include "topi/cpu/loops.h"

#include <algorithm>

#include "schedule/primitives/primitives.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;

int64_t ExtentOf(const IterVar& axis) {
  const auto* extent = ir::As<ir::IntImm>(axis->domain->extent);
  return extent != nullptr ? extent->value : 0;
}

}  // namespace

void VectorizeRow(schedule::Stage& stage, const IterVar& axis, int64_t lanes) {
  auto [vector, lane] = schedule::Split(stage, axis, lanes);
  schedule::Unroll(stage, vector);
  schedule::Vectorize(stage, lane);
}

void VectorizeInner(schedule::Stage& stage, const IterVar& axis, int64_t vectors, int64_t lanes) {
  VectorizeRow(stage, schedule::Split(stage, axis, vectors * lanes).second, lanes);
}

ir::Tensor ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced, int64_t vectors,
                           int64_t lanes) {
  const IterVar k = schedule::ReduceAxisOf(reduced, 0);
  while (vectors > 1 && ExtentOf(k) < 4 * vectors * lanes) vectors /= 2;
  schedule::Split(s[reduced], k, vectors * lanes);
  const ir::Tensor partial = schedule::RFactor(s, reduced, s[reduced].leaf_axes.back(), -1)[0];
  // The partial results' own order: the long loop, then the vectors.
  schedule::Stage& stage = s[partial];
  const IterVar lane = schedule::AxisOf(partial, reduced->shape().size());
  schedule::Reorder(stage, {stage.leaf_axes.back(), lane});
  VectorizeRow(stage, lane, lanes);
  schedule::Unroll(s[reduced], s[reduced].leaf_axes.back());
  return partial;
}

}  // namespace lathe::topi::cpu
