#include "schedule/nest_builder.h"

#include <algorithm>
#include <unordered_set>

#include "base/planted.h"
#include "ir/intrinsic.h"
#include "schedule/safe_select.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::ComputeOp;
using ir::Reduce;
using ir::Stmt;
using ir::Var;
using ir::VarMap;

Stmt NestBuilder::EmitCompute(const Stage& stage) {
  const auto& op = static_cast<const ComputeOp&>(*stage.op);
  // The facts about the loops hold while this nest is made: inner stages know the loops around
  // them.
  auto scope = analyzer_.OpenScope();
  for (const IterVar& leaf : stage.leaf_axes) {
    analyzer_.Bind(leaf->var, LoopFact(stage, bounds_, leaf));
  }
  const AxisMap values = AxisValues(stage, bounds_);
  VarMap to_loops;
  std::vector<Expr> indices;
  for (const IterVar& root : stage.root_axes)
    to_loops[root->var] = analyzer_.Simplify(values.at(root.get()));
  for (const IterVar& axis : op.axis) indices.push_back(to_loops.at(axis->var));
  if (const size_t first = TensorizedLeaf(stage); first < stage.leaf_axes.size())
    return EmitTensorized(stage, first);
  std::vector<Guard> guards = BoundGuards(stage, bounds_, values, &analyzer_);
  for (Guard& guard : EnvironmentGuards(stage)) guards.push_back(std::move(guard));
  if (auto it = rolling_.find(&stage); it != rolling_.end()) {
    const ir::Var& loop = it->second.loop->var;
    const Expr& index = indices[it->second.dim];
    guards.push_back({ir::LogicalOr(ir::Equal(loop, ir::Const(0, loop->dtype)),
                                    index >= ir::MakeCast(index->dtype, it->second.old_end)),
                      false, Guard::Cause::kDomain, op.axis[it->second.dim]});
  }
  if (ReducesOverThreads(stage)) return EmitAllreduce(stage, op, to_loops, indices, guards);
  return stage.has_reduction() ? EmitReduction(stage, op, to_loops, indices, guards)
                               : EmitPlain(stage, op, to_loops, indices, guards);
}

Stmt NestBuilder::EmitPlain(const Stage& stage, const ComputeOp& op, const VarMap& to_loops,
                            const std::vector<Expr>& indices, const std::vector<Guard>& guards) {
  std::vector<Stmt> stores;
  for (size_t k = 0; k < op.body.size(); ++k) {
    const Expr value =
        WithBuffers(ir::Substitute(ShortCircuitUnsafeSelects(op, op.body[k]), to_loops));
    stores.push_back(ir::MakeStore(buffers_.at(ir::OutputOf(stage.op, static_cast<int64_t>(k))),
                                   value, indices));
  }
  std::vector<Expr> conditions;
  for (const Guard& guard : guards) conditions.push_back(guard.condition);
  return WrapLoops(stage, 0, stage.leaf_axes.size(),
                   WherePredicate(stage, ir::MakeSeq(std::move(stores)), false),
                   std::move(conditions), true);
}

Stmt NestBuilder::EmitReduction(const Stage& stage, const ComputeOp& op, const VarMap& to_loops,
                                const std::vector<Expr>& indices,
                                const std::vector<Guard>& guards) {
  const auto& reduce = static_cast<const Reduce&>(*op.body[0]);
  const size_t n = stage.leaf_axes.size();
  // The initialisation goes before the first loop over a reduction axis, and has the data loops
  // inside that one (S12).
  size_t first = 0;
  while (first < n && stage.leaf_axes[first]->iter_kind != ir::IterKind::kReduce) ++first;
  if (Planted(PlantedBug::kInitWithinReduction) && first < n) ++first;

  std::vector<Expr> init_guards, update_guards;
  for (const Guard& guard : guards) {
    update_guards.push_back(guard.condition);
    if (!guard.on_reduction) init_guards.push_back(guard.condition);
  }
  // Guards on loops around both the initialisation and the update go around both.
  std::vector<Expr> common;
  std::unordered_set<const ir::Node*> inner_loops;
  for (size_t i = first; i < n; ++i) inner_loops.insert(stage.leaf_axes[i]->var.get());
  const bool stop =
      std::any_of(stage.leaf_axes.begin() + static_cast<std::ptrdiff_t>(first),
                  stage.leaf_axes.end(), [&](const IterVar& l) { return GuardsStopAt(stage, l); });
  auto is_common = [&](const Expr& guard) { return !stop && !ir::UsesAnyVar(guard, inner_loops); };
  for (const Expr& guard : init_guards) {
    if (is_common(guard)) common.push_back(guard);
  }
  std::erase_if(init_guards, is_common);
  if (Planted(PlantedBug::kInitUnguarded)) init_guards.clear();
  std::erase_if(update_guards, is_common);
  // The condition is in front of the outermost loop that does not change it.
  std::vector<Expr> inner_conditions;
  for (const Expr& condition : ConditionsOf(reduce, to_loops))
    (ir::CanEvaluateEarly(condition) ? update_guards : inner_conditions).push_back(condition);

  const Stmt init = WrapLoopsOfInit(
      stage, first, n, WherePredicate(stage, InitStores(stage, reduce, to_loops, indices), true),
      std::move(init_guards));
  const Stmt update = WrapLoops(
      stage, first, n,
      WherePredicate(stage,
                     Where(inner_conditions,
                           UpdateStores(stage, reduce, to_loops, OutputBuffers(stage), indices)),
                     false),
      std::move(update_guards), true);
  return WrapLoops(stage, 0, first, ir::MakeSeq({init, update}), std::move(common), true);
}

Stmt NestBuilder::InitStores(const Stage& stage, const Reduce& reduce, const VarMap& to_loops,
                             const std::vector<Expr>& indices) {
  std::vector<Stmt> stores;
  for (size_t k = 0; k < reduce.sources.size(); ++k) {
    const Expr value = reduce.init.empty() || Planted(PlantedBug::kExplicitInitIgnored)
                           ? reduce.reducer->identity[k]
                           : WithBuffers(ir::Substitute(reduce.init[k], to_loops));
    stores.push_back(ir::MakeStore(buffers_.at(ir::OutputOf(stage.op, static_cast<int64_t>(k))),
                                   value, indices));
  }
  return ir::MakeSeq(std::move(stores));
}

Stmt NestBuilder::WrapLoopsOfInit(const Stage& stage, size_t first, size_t last, Stmt body,
                                  std::vector<Expr> guards) {
  for (size_t i = last; i-- > first;) {
    const IterVar& leaf = stage.leaf_axes[i];
    if (leaf->iter_kind == ir::IterKind::kReduce) continue;
    std::vector<Expr> here;
    std::erase_if(guards, [&](const Expr& guard) {
      if (!ir::UsesVar(guard, leaf->var)) return false;
      here.push_back(guard);
      return true;
    });
    body = Loop(stage, leaf, Where(here, body));
  }
  return ir::Refresh(Where(guards, body));
}

std::vector<Expr> NestBuilder::ConditionsOf(const Reduce& reduce, const VarMap& to_loops) {
  if (Planted(PlantedBug::kReduceConditionIgnored)) return {};
  return ir::SplitConjunction(WithBuffers(ir::Substitute(reduce.condition, to_loops)));
}

Stmt NestBuilder::UpdateStores(const Stage& stage, const Reduce& reduce, const VarMap& to_loops,
                               const std::vector<Buffer>& outs, const std::vector<Expr>& indices) {
  std::vector<Expr> sources;
  for (const Expr& value : reduce.sources) {
    const Expr safe = ShortCircuitUnsafeSelects(static_cast<const ComputeOp&>(*stage.op), value);
    sources.push_back(WithBuffers(ir::Substitute(safe, to_loops)));
  }
  return CombineInto(stage, *reduce.reducer, outs, indices, sources);
}

Stmt NestBuilder::CombineInto(const Stage& stage, const ir::ReducerNode& reducer,
                              const std::vector<Buffer>& outs, const std::vector<Expr>& indices,
                              const std::vector<Expr>& values) {
  VarMap operands;
  std::vector<std::pair<Var, Expr>> lets;
  for (size_t k = 0; k < outs.size(); ++k) {
    const Expr old = ir::MakeLoad(outs[k], indices);
    if (outs.size() == 1 || Planted(PlantedBug::kTupleReadsNewValues)) {
      operands[reducer.lhs[k]] = old;
      operands[reducer.rhs[k]] = values[k];
    } else {
      // All members of a tuple read the old values before any new one is written.
      const Var left = ir::MakeVar(stage.name + ".old" + std::to_string(k), old->dtype);
      const Var right = ir::MakeVar(stage.name + ".new" + std::to_string(k), values[k]->dtype);
      lets.emplace_back(left, old);
      lets.emplace_back(right, values[k]);
      operands[reducer.lhs[k]] = left;
      operands[reducer.rhs[k]] = right;
    }
  }
  std::vector<Stmt> stores;
  for (size_t k = 0; k < outs.size(); ++k)
    stores.push_back(ir::MakeStore(outs[k], ir::Substitute(reducer.result[k], operands), indices));
  Stmt body = ir::MakeSeq(std::move(stores));
  for (size_t i = lets.size(); i-- > 0;)
    body = ir::MakeLetStmt(lets[i].first, lets[i].second, body);
  return body;
}

std::vector<Buffer> NestBuilder::OutputBuffers(const Stage& stage) const {
  std::vector<Buffer> outs;
  for (int64_t k = 0; k < ir::NumOutputs(*stage.op); ++k)
    outs.push_back(buffers_.at(ir::OutputOf(stage.op, k)));
  return outs;
}

}  // namespace lathe::schedule
