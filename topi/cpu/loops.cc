#include "topi/cpu/loops.h"

#include <algorithm>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;

int64_t ExtentOf(const IterVar& axis) {
  const auto* extent = ir::As<ir::IntImm>(axis->domain->extent);
  return extent != nullptr ? extent->value : 0;
}

// Splits the reduction of `reduced` (its innermost loop) into `width` partial results side by side.
ir::Tensor PartialResults(schedule::Schedule& s, const ir::Tensor& reduced, int64_t width,
                          int64_t lanes, bool unrolled) {
  schedule::Split(s[reduced], s[reduced].leaf_axes.back(), width);
  const ir::Tensor partial = schedule::RFactor(s, reduced, s[reduced].leaf_axes.back(), -1)[0];
  // The loop order of the partial results: the loop over what they combine, then the vectors.
  schedule::Stage& stage = s[partial];
  const IterVar loop = stage.leaf_axes.back();
  const IterVar lane = schedule::AxisOf(partial, reduced->shape().size());
  schedule::Reorder(stage, {loop, lane});
  if (unrolled) schedule::Unroll(stage, loop);
  VectorizeRow(stage, lane, std::min(width, lanes));
  return partial;
}

}  // namespace

int64_t LargestDivisor(int64_t extent, int64_t most) {
  int64_t divisor = std::max<int64_t>(most, 1);
  while (extent % divisor != 0) --divisor;
  return divisor;
}

void StreamResults(schedule::Stage& stage, const IterVar& axis, int64_t bytes,
                   const target::Machine& machine) {
  if (bytes >= machine.StreamedBytes()) schedule::Pragma(stage, axis, ir::pragma::kNontemporal);
}

void VectorizeRow(schedule::Stage& stage, const IterVar& axis, int64_t lanes) {
  auto [vector, lane] = schedule::Split(stage, axis, lanes);
  schedule::Unroll(stage, vector);
  schedule::Vectorize(stage, lane);
}

void VectorizeInner(schedule::Stage& stage, const IterVar& axis, int64_t vectors, int64_t lanes) {
  VectorizeRow(stage, schedule::Split(stage, axis, vectors * lanes).second, lanes);
}

std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes) {
  return ReduceInVectors(s, reduced, vectors, lanes, ExtentOf(schedule::ReduceAxisOf(reduced, 0)));
}

std::vector<ir::Tensor> ReduceInVectors(schedule::Schedule& s, const ir::Tensor& reduced,
                                        int64_t vectors, int64_t lanes, int64_t extent) {
  while (vectors > 1 && extent < 4 * vectors * lanes) vectors /= 2;
  std::vector<ir::Tensor> partials;
  // First combines all vectors, then quarters of a vector: each step takes a few vector operations.
  for (int64_t width = vectors * lanes; width > 1;) {
    partials.push_back(PartialResults(s, reduced, width, lanes, /*unrolled=*/!partials.empty()));
    width = width > lanes ? lanes : width > 4 ? 4 : 1;
  }
  schedule::Unroll(s[reduced], s[reduced].leaf_axes.back());
  return partials;
}

}  // namespace lathe::topi::cpu
