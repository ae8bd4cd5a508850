// tensorize, with an intrinsic that is made for the stage.
#include <algorithm>

#include "schedule/primitives/primitives.h"
#include "tests/prove/intrin_maker.h"
#include "tests/prove/scheduler.h"

namespace lathe::prove {

using ir::IterVar;
using schedule::Stage;

void Scheduler::Tensorize() {
  Stage& stage = Any([](const Stage& s) {
    return ir::As<ir::ComputeOp>(s.op) != nullptr && s.relations.empty() && !s.root_axes.empty();
  });
  const IterVar axis = random_.Pick(stage.root_axes);
  const int64_t extent = ExtentOf(axis);
  if (extent < 1 || stage.LeafIndex(axis) < 0) throw NothingToDo();
  // A divisor, so that there are no guards.
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= std::min<int64_t>(extent, 32); ++d) {
    if (extent % d == 0) divisors.push_back(d);
  }
  const int64_t count = random_.Pick(divisors);
  const auto* op = ir::As<ir::ComputeOp>(stage.op);
  const te::TensorIntrin intrin = MakeIntrin(*op, axis, count, stage.name + ".intrin");
  if (!intrin) throw NothingToDo();
  const auto [outer, inner] = schedule::Split(stage, axis, count);
  extents_[inner.get()] = count;
  extents_[outer.get()] = extent / count;
  Count("split");
  std::vector<IterVar> order = stage.leaf_axes;
  std::erase_if(order, [&, &in = inner](const IterVar& leaf) { return leaf.same_as(in); });
  random_.Shuffle(order);
  order.push_back(inner);
  schedule::Reorder(stage, order);
  schedule::Tensorize(stage, inner, intrin);
  Count("tensorize");
}

}  // namespace lathe::prove
