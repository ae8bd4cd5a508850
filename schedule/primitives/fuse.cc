#include "schedule/primitives/fuse.h"

#include "base/error.h"
#include "ir/buffer.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

// Checks that the two loops can become one.
void CheckPair(const Stage& stage, const IterVar& outer, const IterVar& inner) {
  const int position = stage.RequireLeaf(outer, "fuse");
  const int next = stage.RequireLeaf(inner, "fuse");
  RequirePlain(stage, outer, "fuse");
  RequirePlain(stage, inner, "fuse");
  RequireNoHints(stage, outer, "fuse");
  RequireNoHints(stage, inner, "fuse");
  const std::string both = "`" + outer->var->name + "` and `" + inner->var->name + "`";
  if (next != position + 1) {
    const bool swapped = next + 1 == position;
    throw Error(Diagnostic{
        .name = "schedule-fuse-not-adjacent",
        .message =
            "fuse: loops " + both + " of stage `" + stage.name + "` are not adjacent, outer first",
        .expected = "two loops next to each other in " + QuotedList(LeafNames(stage)),
        .found = "positions " + std::to_string(position) + " and " + std::to_string(next),
        .help = swapped ? "name the outer loop first" : "bring them together with reorder"});
  }
  if (outer->iter_kind != inner->iter_kind) {
    throw Error(Diagnostic{
        .name = "schedule-fuse-kinds",
        .message = "fuse: loops " + both + " of stage `" + stage.name + "` are of different kinds",
        .expected = "two data axes or two reduction axes",
        .found = std::string(ir::IterVarNode::kIterKindNames[static_cast<int>(outer->iter_kind)]) +
                 " and " + ir::IterVarNode::kIterKindNames[static_cast<int>(inner->iter_kind)],
        .help = "fuse each kind by itself"});
  }
}

IterVar FusePair(Stage& stage, const IterVar& outer, const IterVar& inner) {
  const int position = stage.LeafIndex(outer);
  const bool wide = outer->var->dtype.bits() > 32 || inner->var->dtype.bits() > 32;
  IterVar fused = ir::MakeIterVar(nullptr,
                                  ir::MakeVar(stage.FreshAxisName(stage.AxisName(outer) + "." +
                                                                  stage.AxisName(inner) + ".fused"),
                                              DataType::Int(wide ? 64 : 32)),
                                  outer->iter_kind);
  stage.all_axes.push_back(fused);
  stage.relations.push_back({Relation::kFuse, nullptr, outer, inner, fused, nullptr, nullptr});
  auto at = stage.leaf_axes.begin() + position;
  *at = fused;
  stage.leaf_axes.erase(at + 1);
  return fused;
}

}  // namespace

IterVar Fuse(Stage& stage, const std::vector<IterVar>& given) {
  const std::vector<IterVar> axes = given;  // may be the stage's own leaves
  Dict operands = {{operand::kStage, ir::String(stage.name)},
                   {operand::kAxes, AxesOperand(stage, axes)}};
  IterVar fused;
  if (axes.empty()) {
    fused = ir::MakeIterVar(nullptr, ir::MakeVar(stage.FreshAxisName("singleton")),
                            ir::IterKind::kData);
    stage.all_axes.push_back(fused);
    stage.relations.push_back(
        {Relation::kSingleton, nullptr, nullptr, nullptr, fused, nullptr, nullptr});
    stage.leaf_axes.insert(stage.leaf_axes.begin(), fused);
  } else {
    fused = axes[0];
    stage.RequireLeaf(fused, "fuse");
    // All checks come before all changes.
    for (size_t i = 1; i < axes.size(); ++i) CheckPair(stage, axes[i - 1], axes[i]);
    for (size_t i = 1; i < axes.size(); ++i) fused = FusePair(stage, fused, axes[i]);
  }
  Record(*stage.schedule, primitive::kFuse, {AxisPath(stage, fused)}, std::move(operands));
  return fused;
}

}  // namespace lathe::schedule
