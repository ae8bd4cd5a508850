#include "schedule/primitives/split.h"

#include "base/planted.h"
#include "ir/buffer.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

std::pair<IterVar, IterVar> SplitBy(Stage& stage, const IterVar& axis, Expr factor, Expr nparts) {
  const int position = stage.RequireLeaf(axis, "split");
  RequirePlain(stage, axis, "split");
  RequireNoHints(stage, axis, "split");
  const Expr given = factor ? factor : nparts;
  RequireFactor(stage, axis, given, "split");
  auto derive = [&](const char* suffix) {
    return ir::MakeIterVar(
        nullptr, ir::MakeVar(stage.FreshAxisName(stage.AxisName(axis) + suffix), axis->var->dtype),
        axis->iter_kind);
  };
  IterVar outer = derive(".outer");
  stage.all_axes.push_back(outer);
  IterVar inner = derive(".inner");
  stage.all_axes.push_back(inner);
  Dict operands = {
      {operand::kAxis, AxisOperand(stage, axis)},
      {factor || Planted(PlantedBug::kTraceSwapsSplitOperand) ? operand::kFactor : operand::kNparts,
       given}};
  auto cast = [&](const Expr& e) { return e ? ir::MakeCast(axis->var->dtype, e) : e; };
  stage.relations.push_back(
      {Relation::kSplit, axis, outer, inner, nullptr, cast(factor), cast(nparts)});
  auto at = stage.leaf_axes.begin() + position;
  *at = inner;
  stage.leaf_axes.insert(at, outer);
  Record(*stage.schedule, primitive::kSplit, {AxisPath(stage, outer), AxisPath(stage, inner)},
         std::move(operands));
  return {outer, inner};
}

}  // namespace

std::pair<IterVar, IterVar> Split(Stage& stage, const IterVar& axis, Expr factor) {
  return SplitBy(stage, axis, std::move(factor), nullptr);
}
std::pair<IterVar, IterVar> Split(Stage& stage, const IterVar& axis, int64_t factor) {
  return SplitBy(stage, axis, ir::Int(factor, DataType::Int(64)), nullptr);
}
std::pair<IterVar, IterVar> SplitParts(Stage& stage, const IterVar& axis, Expr nparts) {
  return SplitBy(stage, axis, nullptr, std::move(nparts));
}
std::pair<IterVar, IterVar> SplitParts(Stage& stage, const IterVar& axis, int64_t nparts) {
  return SplitBy(stage, axis, nullptr, ir::Int(nparts, DataType::Int(64)));
}

}  // namespace lathe::schedule
