#include "schedule/rolling.h"

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"

namespace lathe::schedule {
namespace {

[[noreturn]] void Refuse(const Stage& stage, std::string expected, std::string found,
                         std::string help) {
  throw Error(Diagnostic{.name = "schedule-rolling-refused",
                         .message = "rolling_buffer: stage `" + stage.name +
                                    "` has nothing to keep from one iteration to the next",
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void CheckPlace(const Stage& stage) {
  if (stage.attach != AttachKind::kScope ||
      ir::As<ir::ComputeOp>(stage.attach_stage->op) == nullptr) {
    Refuse(stage, "a stage that is computed at a loop of a compute",
           stage.attach == AttachKind::kScope
               ? "one at a loop of `" + stage.attach_stage->name + "`"
               : "one that is not attached",
           "use compute_at");
  }
  const LeafAttr* attr = stage.attach_stage->FindAttr(stage.attach_axis);
  if (attr != nullptr && attr->kind != ForKind::kSerial && attr->kind != ForKind::kUnrolled) {
    Refuse(stage, "a loop whose iterations run in order",
           std::string("a ") + ir::For::kForKindNames[static_cast<int>(attr->kind)] + " loop",
           "attach it to a loop further in, or leave that loop serial");
  }
  if (!stage.layouts.empty())
    Refuse(stage, "a stage in its own layout", "one with transform_layout",
           "leave one of them out");
}

}  // namespace

Rolling FindRolling(const Stage& stage, const Bounds& bounds, arith::Analyzer* analyzer) {
  CheckPlace(stage);
  const auto& op = static_cast<const ir::ComputeOp&>(*stage.op);
  const IterVar& loop = stage.attach_axis;
  const ir::Var& var = loop->var;
  Rolling rolling{loop, op.axis.size(), 0, {}, {}};
  for (size_t d = 0; d < op.axis.size(); ++d) {
    const Range& range = bounds[op.axis[d]];
    if (!ir::UsesVar(range->min, var) && !ir::UsesVar(range->extent, var)) continue;
    const std::string region = "dimension " + std::to_string(d) + ", from " +
                               ir::ToText(range->min, {.short_form = true}) + ", " +
                               ir::ToText(range->extent, {.short_form = true}) + " elements";
    if (rolling.dim != op.axis.size()) {
      Refuse(stage, "a region that moves along one dimension",
             "dimensions " + std::to_string(rolling.dim) + " and " + std::to_string(d),
             "attach it to a loop over one dimension");
    }
    const ir::VarMap next = {{var, Expr(var) + 1}};
    const Expr step = analyzer->Simplify(ir::Substitute(range->min, next) - range->min);
    const int64_t* constant = ir::AsConstInt(step);
    if (constant == nullptr || *constant <= 0 || ir::UsesVar(range->extent, var)) {
      Refuse(stage, "a region that moves by a constant and keeps its extent", region,
             "attach it to a loop whose iterations need regions of one extent");
    }
    rolling.dim = d;
    rolling.step = *constant;
    rolling.extent = range->extent;
    rolling.old_end = range->min + range->extent - *constant;
  }
  if (rolling.dim == op.axis.size())
    Refuse(stage, "a region that moves with loop `" + var->name + "`",
           "the same region in every iteration", "attach it to the loop around");
  return rolling;
}

}  // namespace lathe::schedule
