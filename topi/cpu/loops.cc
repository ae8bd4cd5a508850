#include "topi/cpu/loops.h"

#include "schedule/primitives/primitives.h"

namespace lathe::topi::cpu {

void VectorizeRow(schedule::Stage& stage, const ir::IterVar& axis, int64_t lanes) {
  auto [vector, lane] = schedule::Split(stage, axis, lanes);
  schedule::Unroll(stage, vector);
  schedule::Vectorize(stage, lane);
}

}  // namespace lathe::topi::cpu
