#include "schedule/primitives/cache_write.h"

#include "base/error.h"
#include "ir/rewrite.h"
#include "schedule/trace.h"
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

}  // namespace

std::vector<Tensor> CacheWrite(Schedule& schedule, const Tensor& tensor, std::string scope) {
  Stage& stage = schedule[tensor];
  const auto* compute = ir::As<ComputeOp>(stage.op);
  if (compute == nullptr)
    Refuse(stage, std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "cache what a compute reads or writes");
  if (!stage.relations.empty() || !stage.leaf_attrs.empty()) {
    Refuse(stage, "a stage with split, fused or annotated loops",
           "call cache_write first, then schedule both stages");
  }
  Dict operands = {{"stage", ir::String(stage.name)}, {"scope", ir::String(scope)}};

  // The cache takes the body, over data axes of its own; the reduction axes move there as they are.
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
  const Op cache_op = cache;

  // What is left copies it.
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
  const Op before = stage.op, after = copy;
  const size_t position = schedule->PositionOf(stage);
  schedule->Insert(position, cache_op).scope = std::move(scope);
  const std::string cache_name = schedule->stages[position]->name;
  stage.op = after;
  stage.root_axes = copy->axis;
  stage.all_axes = copy->axis;
  stage.leaf_axes = copy->axis;
  schedule->Map(after, &stage);
  for (Op& output : schedule->outputs) {
    if (output.same_as(before)) output = after;
  }
  std::vector<std::pair<Tensor, Tensor>> changed;
  for (int64_t k = 0; k < ir::NumOutputs(*after); ++k)
    changed.emplace_back(ir::OutputOf(before, k), ir::OutputOf(after, k));
  schedule->ReplaceTensors(std::move(changed), position + 2, {});
  Record(*schedule, "cache_write", {cache_name}, std::move(operands));
  return out;
}

}  // namespace lathe::schedule
