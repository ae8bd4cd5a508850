// How often loops are executed, where rolling buffers keep what the iteration before has computed.
#include <algorithm>
#include <unordered_set>

#include "driver/explain/explainer.h"

namespace lathe::driver {

using schedule::LoopRef;

std::vector<LoopRef> Explainer::Around(const Stage& stage) {
  std::vector<LoopRef> loops = schedule::AttachPath(stage);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

ir::Expr Explainer::RolledElements(const Stage& stage) const {
  const schedule::Rolling& rolling = rolling_.at(&stage);
  const Expr later = Extent(*stage.attach_stage, rolling.loop) - 1;
  return Known(ir::MakeCast(later->dtype, rolling.extent) +
               later * ir::Const(rolling.step, later->dtype));
}

ir::Expr Explainer::Times(const std::vector<LoopRef>& loops) const {
  Expr times = ir::Int(1, DataType::Int(64));
  // Loops that are counted with a loop within them.
  std::unordered_set<const ir::Node*> counted;
  for (size_t i = loops.size(); i-- > 0;) {
    const auto& [stage, leaf] = loops[i];
    if (counted.count(leaf.get()) != 0) continue;
    const auto it = rolling_.find(stage);
    if (it == rolling_.end() ||
        !static_cast<const ir::ComputeOp&>(*stage->op).axis[it->second.dim].same_as(leaf)) {
      times = Extent(*stage, leaf) * times;
      continue;
    }
    counted.insert(it->second.loop.get());
    times = RolledElements(*stage) * times;
  }
  return times;
}

void Explainer::Rolls(const Stage& stage, ExplainedStage& out) const {
  const auto it = rolling_.find(&stage);
  if (it == rolling_.end()) return;
  const schedule::Rolling& rolling = it->second;
  const Expr step = ir::Const(rolling.step, rolling.extent->dtype);
  const std::string all = Text(Known(rolling.extent));
  const auto& op = static_cast<const ir::ComputeOp&>(*stage.op);
  out.rolls = all + " elements along " + op.axis[rolling.dim]->var->name +
              " in the first iteration of " + stage.attach_stage->name + "." +
              rolling.loop->var->name + "; later ones keep " + Text(Known(rolling.extent - step)) +
              " and compute " + Text(step);
}

}  // namespace lathe::driver
