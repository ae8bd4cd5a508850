#include "schedule/intrin_part.h"

#include <unordered_set>

#include "arith/region.h"
#include "base/planted.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "schedule/axis_values.h"
#include "schedule/match_intrin.h"

namespace lathe::schedule {

using arith::Analyzer;
using arith::DomMap;
using arith::IntSet;
using ir::ComputeOp;
using ir::Reduce;
using ir::Var;
using ir::VarMap;

namespace {

void CheckLeaves(const Stage& stage, size_t first, const Bounds& bounds) {
  for (size_t i = first; i < stage.leaf_axes.size(); ++i) {
    const IterVar& leaf = stage.leaf_axes[i];
    const LeafAttr* attr = stage.FindAttr(leaf);
    const bool plain = attr == nullptr || (attr->kind == ForKind::kSerial &&
                                           attr->annotations.empty() && attr->prefetches.empty());
    if (!plain) {
      const bool thread = attr->kind == ForKind::kThread;
      IllegalTensorize(
          stage, "loop `" + leaf->var->name + "` lies within the intrinsic",
          "plain loops from the tensorized one inwards",
          thread ? "a loop bound to `" + attr->thread->thread_tag + "`"
          : attr->kind == ForKind::kSerial
              ? "a loop with a pragma or prefetch"
              : std::string("a ") + ir::For::kForKindNames[static_cast<int>(attr->kind)] + " loop",
          "annotate and bind loops outside the tensorized one");
    }
    if (ir::AsConstInt(bounds[leaf]->extent) == nullptr) {
      IllegalTensorize(stage, "loop `" + leaf->var->name + "` has no constant extent",
                       "constant extents from the tensorized loop inwards",
                       "`" + ShortText(bounds[leaf]->extent) + "`",
                       "split the loop by the intrinsic's extent");
    }
  }
}

// The values of each root axis within the part. The map from leaves to axes is one to one (as
// splits and fusions are), so if the box has as many points as the leaves, the part covers the box.
IntrinPart FindBox(const Stage& stage, size_t first, const Bounds& bounds, Analyzer* analyzer) {
  IntrinPart part;
  const AxisMap values = AxisValues(stage, bounds);
  std::unordered_set<const ir::Node*> vars;
  DomMap dom;
  VarMap first_point;
  int64_t points = 1, box = 1;
  for (size_t i = first; i < stage.leaf_axes.size(); ++i) {
    const Var& var = stage.leaf_axes[i]->var;
    vars.insert(var.get());
    dom[var] = IntSet::FromRange(
        ir::MakeRange(ir::Const(0, var->dtype), bounds[stage.leaf_axes[i]]->extent));
    first_point[var] = ir::Const(0, var->dtype);
    points *= std::max<int64_t>(*ir::AsConstInt(bounds[stage.leaf_axes[i]]->extent), 0);
  }
  for (const Guard& guard : BoundGuards(stage, bounds, values, analyzer)) {
    if (!ir::UsesAnyVar(guard.condition, vars) || Planted(PlantedBug::kTailTensorized)) continue;
    IllegalTensorize(stage, "not every block is whole",
                     "no guard that depends on the loops within the intrinsic",
                     "`" + ShortText(guard.condition) + "`",
                     "pad the tensors, or split by factors that divide the extents; tails can be "
                     "computed by a stage of their own");
  }
  for (const IterVar& root : stage.root_axes) {
    const Expr value = analyzer->Simplify(values.at(root.get()));
    const IntSet set = arith::EvalSet(value, dom, analyzer);
    const Expr base = analyzer->Simplify(ir::Substitute(value, first_point));
    const Expr extent = set.is_bounded() ? analyzer->Simplify(set.max - set.min + 1) : Expr();
    const int64_t* count = extent ? ir::AsConstInt(extent) : nullptr;
    if (count == nullptr || !analyzer->CanProveEqual(set.min, base) ||
        __builtin_mul_overflow(box, *count, &box)) {
      IllegalTensorize(stage, "the values of axis `" + root->var->name + "` are not a block",
                       "a constant number of consecutive values in each iteration",
                       "`" + ShortText(value) + "`",
                       "split every axis by the intrinsic's extent and tensorize the inner parts");
    }
    InnerAxis axis{root, base, *count, ir::MakeVar(root->var->name, root->var->dtype)};
    part.to_inner[root->var] = *count == 1 ? base : analyzer->Simplify(base + Expr(axis.var));
    (root->iter_kind == ir::IterKind::kReduce ? part.reduce : part.data).push_back(std::move(axis));
  }
  if (box != points) {
    IllegalTensorize(stage, "the loops within the intrinsic do not run over a block",
                     std::to_string(box) + " points", std::to_string(points) + " iterations",
                     "split every axis by the intrinsic's extent and tensorize the inner parts");
  }
  return part;
}

}  // namespace

std::string ShortText(const NodeRef& node) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(node, options);
}

IntrinPart FindIntrinPart(const Stage& stage, size_t first, const Bounds& bounds,
                          Analyzer* analyzer) {
  CheckLeaves(stage, first, bounds);
  return FindBox(stage, first, bounds, analyzer);
}

Op AsCompute(const Stage& stage, const IntrinPart& box) {
  const auto& op = static_cast<const ComputeOp&>(*stage.op);
  auto mine = [&](const Expr& e) { return ir::Substitute(e, box.to_inner); };
  Ref<ComputeOp> part = Make<ComputeOp>();
  part->name = stage.name;
  auto add = [](const std::vector<InnerAxis>& axes, ir::IterKind kind, std::vector<IterVar>* out) {
    for (const InnerAxis& axis : axes) {
      if (axis.extent == 1) continue;
      out->push_back(ir::MakeIterVar(
          ir::MakeRange(ir::Const(0, axis.var->dtype), ir::Int(axis.extent, axis.var->dtype)),
          axis.var, kind));
    }
  };
  add(box.data, ir::IterKind::kData, &part->axis);
  add(box.reduce, ir::IterKind::kReduce, &part->reduce_axis);
  for (const IterVar& axis : part->axis) part->shape.push_back(axis->domain->extent);
  for (const Expr& value : op.body) {
    const auto* reduce = ir::As<Reduce>(value);
    if (reduce == nullptr) {
      part->body.push_back(mine(value));
      continue;
    }
    std::vector<Expr> sources, init;
    for (const Expr& source : reduce->sources) sources.push_back(mine(source));
    for (const Expr& start : reduce->init) init.push_back(mine(start));
    part->body.push_back(ir::MakeReduce(reduce->reducer, std::move(sources), part->reduce_axis,
                                        mine(reduce->condition), reduce->value_index,
                                        std::move(init)));
  }
  return part;
}

}  // namespace lathe::schedule
