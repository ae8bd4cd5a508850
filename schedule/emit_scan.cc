#include <algorithm>

#include "base/error.h"
#include "schedule/nest_builder.h"

namespace lathe::schedule {

using ir::ScanOp;
using ir::Stmt;

// The first rows, then the steps: all stages computed at the innermost time loop, including the
// updates, in topological order.
Stmt NestBuilder::EmitScan(const Stage& stage) {
  const auto& scan = static_cast<const ScanOp&>(*stage.op);
  auto it = attached_.find(&stage);
  LATHE_CHECK(it != attached_.end()) << "scan `" << stage.name << "` has no parts";
  auto is_init = [&](const Stage& part) {
    return std::any_of(scan.init.begin(), scan.init.end(),
                       [&](const Tensor& t) { return t->op.same_as(part.op); });
  };
  std::vector<Stmt> before;
  for (const Stage* part : it->second) {
    if (is_init(*part))
      before.push_back(RealizeAround(*part, ir::MakeSeq({Emit(*part), EmitClaims(*part)})));
  }
  auto scope = analyzer_.OpenScope();
  for (const IterVar& leaf : stage.leaf_axes)
    analyzer_.Bind(leaf->var, LoopFact(stage, bounds_, leaf));
  std::vector<Expr> guards;
  for (const Guard& guard : BoundGuards(stage, bounds_, AxisValues(stage, bounds_), &analyzer_))
    guards.push_back(guard.condition);
  const IterVar& innermost = stage.leaf_axes.back();
  Stmt step;
  for (size_t i = it->second.size(); i-- > 0;) {
    const Stage& part = *it->second[i];
    if (is_init(part) || !part.attach_axis.same_as(innermost)) continue;
    step = RealizeAround(part, ir::MakeSeq({Emit(part), EmitClaims(part), step}));
  }
  if (!step) step = ir::Nop();
  if (!guards.empty()) step = ir::MakeIf(ir::Conjunction(guards), step);
  const size_t last = stage.leaf_axes.size() - 1;
  before.push_back(WrapLoops(stage, 0, last, Loop(stage, innermost, step), {}, true));
  return ir::MakeSeq(std::move(before));
}

}  // namespace lathe::schedule
