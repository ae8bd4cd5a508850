#include "schedule/primitives/cache_write.h"

#include "base/error.h"
#include "ir/rewrite.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"
#include "te/operation.h"

namespace lathe::schedule {
namespace {

using ir::ComputeOp;

void Refuse(const Stage& stage, std::string found, std::string help) {
  throw Error(Diagnostic{.name = "schedule-cache-write-refused",
                         .message = "cache_write: stage `" + stage.name + "` cannot be cached",
                         .expected = "a compute whose loops have not been scheduled yet",
                         .found = std::move(found),
                         .help = std::move(help)});
}

void Check(const Schedule& schedule, const Stage& stage) {
  if (ir::As<ComputeOp>(stage.op) == nullptr) {
    Refuse(stage, std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "cache what a compute reads or writes");
  }
  if (!stage.relations.empty() || !stage.leaf_attrs.empty()) {
    Refuse(stage, "a stage with split, fused or annotated loops",
           "call cache_write first, then schedule both stages");
  }
  // The reduction's loops move to the cache, and stages computed at them would stay behind.
  const auto refuse_at = [&](const IterVar& at, const std::string& what) {
    for (const IterVar& axis : ir::As<ComputeOp>(stage.op)->reduce_axis) {
      if (at && at.same_as(axis)) {
        Refuse(stage, what + " computed at its loop `" + axis->var->name + "`",
               "call cache_write first, then compute it at the cache's loop");
      }
    }
  };
  for (const Ref<Stage>& other : schedule->stages)
    refuse_at(other->attach_axis, "stage `" + other->name + "`");
  for (const Ref<Group>& group : schedule->groups)
    refuse_at(group->attach_axis, "group `" + group->name + "`");
}

// Replaces data axes in the ranges of the reduction axes (S52). Axes whose ranges use none stay the
// caller's.
void RenameInDomains(const ir::VarMap& renamed, ComputeOp& op) {
  bool changed = false;
  for (IterVar& axis : op.reduce_axis) {
    const Expr min = ir::Substitute(axis->domain->min, renamed);
    const Expr extent = ir::Substitute(axis->domain->extent, renamed);
    if (min.same_as(axis->domain->min) && extent.same_as(axis->domain->extent)) continue;
    axis = ir::MakeIterVar(ir::MakeRange(min, extent), axis->var, axis->iter_kind);
    changed = true;
  }
  if (!changed) return;
  for (Expr& value : op.body) {
    const auto& reduce = static_cast<const ir::Reduce&>(*value);
    value = ir::MakeReduce(reduce.reducer, reduce.sources, op.reduce_axis, reduce.condition,
                           reduce.value_index, reduce.init);
  }
}

}  // namespace

std::vector<Tensor> CacheWrite(Schedule& schedule, const std::vector<Tensor>& tensors,
                               const std::string& scope) {
  std::vector<Stage*> stages;
  for (const Tensor& tensor : tensors) {
    stages.push_back(&schedule[tensor]);
    Check(schedule, *stages.back());
  }
  std::unordered_map<const Stage*, std::vector<Tensor>> made;
  std::vector<Tensor> caches;
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto [it, is_new] = made.try_emplace(stages[i]);
    if (is_new) it->second = CacheWrite(schedule, tensors[i], scope);
    caches.push_back(it->second[static_cast<size_t>(tensors[i]->value_index)]);
  }
  return caches;
}

std::vector<Tensor> CacheWrite(Schedule& schedule, const Tensor& tensor, std::string scope) {
  Stage& stage = schedule[tensor];
  Check(schedule, stage);
  const auto* compute = ir::As<ComputeOp>(stage.op);
  Dict operands = {{operand::kStage, ir::String(stage.name)}, {operand::kScope, ir::String(scope)}};

  // The cache takes the body, with new data axes; the reduction axes move there, unchanged
  // unless their ranges depend on data axes.
  Ref<ComputeOp> cache = Make<ComputeOp>();
  cache->name = compute->name + "." + scope;
  cache->tag = compute->tag;
  cache->attrs = compute->attrs;
  cache->shape = compute->shape;
  cache->reduce_axis = compute->reduce_axis;
  ir::VarMap renamed;
  for (const IterVar& axis : compute->axis) {
    IterVar fresh = ir::MakeIterVar(
        axis->domain, ir::MakeVar(axis->var->name + ".c", axis->var->dtype), axis->iter_kind);
    renamed[axis->var] = fresh->var;
    cache->axis.push_back(std::move(fresh));
  }
  for (const Expr& value : compute->body) cache->body.push_back(ir::Substitute(value, renamed));
  RenameInDomains(renamed, *cache);
  const Op cache_op = cache;

  // The remaining stage copies the cache.
  Ref<ComputeOp> copy = Make<ComputeOp>();
  copy->name = compute->name;
  copy->tag = compute->tag;
  copy->attrs = compute->attrs;
  copy->shape = compute->shape;
  copy->axis = compute->axis;
  std::vector<Expr> indices;
  for (const IterVar& axis : compute->axis) indices.emplace_back(axis->var);
  std::vector<Tensor> out;
  for (size_t k = 0; k < compute->body.size(); ++k) {
    out.push_back(ir::OutputOf(cache_op, static_cast<int64_t>(k)));
    copy->body.push_back(te::At(out.back(), indices));
  }
  Stage& made = schedule->Insert(schedule->PositionOf(stage), cache_op);
  made.scope = std::move(scope);
  InheritPlace(made, stage);
  stage.root_axes = copy->axis;
  stage.all_axes = copy->axis;
  stage.leaf_axes = copy->axis;
  schedule->ReplaceOp(stage, Op(copy));
  Record(*schedule, primitive::kCacheWrite, {made.name}, std::move(operands));
  return out;
}

}  // namespace lathe::schedule
