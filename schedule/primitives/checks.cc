#include "schedule/primitives/checks.h"

#include "base/error.h"
#include "base/planted.h"
#include "ir/tensor_op.h"

namespace lathe::schedule {

const char* AnnotationName(ForKind kind) { return ir::For::kForKindNames[static_cast<int>(kind)]; }

void RequirePlain(const Stage& stage, const IterVar& axis, std::string_view primitive) {
  const LeafAttr* attr = stage.FindAttr(axis);
  if (attr == nullptr || (attr->kind == ForKind::kSerial && !attr->intrin)) return;
  throw Error(Diagnostic{.name = "schedule-axis-annotated",
                         .message = std::string(primitive) + ": loop `" + axis->var->name +
                                    "` of stage `" + stage.name + "` is annotated already",
                         .expected = "a plain loop",
                         .found = attr->intrin
                                      ? "a loop tensorized by `" + attr->intrin->name + "`"
                                      : std::string("a ") + AnnotationName(attr->kind) + " loop",
                         .help = "split, fuse and reorder first, annotate or bind last"});
}

void RequireNoHints(const Stage& stage, const IterVar& axis, std::string_view primitive) {
  const LeafAttr* attr = stage.FindAttr(axis);
  if (attr == nullptr || (attr->annotations.empty() && attr->prefetches.empty())) return;
  throw Error(
      Diagnostic{.name = "schedule-axis-annotated",
                 .message = std::string(primitive) + ": loop `" + axis->var->name + "` of stage `" +
                            stage.name + "` has a pragma, prefetch or pipeline",
                 .expected = "a plain loop",
                 .found = attr->annotations.empty() ? "a prefetch"
                                                    : "`" + attr->annotations.begin()->first + "`",
                 .help = "split and fuse first, then say how the loops are run"});
}

void RequireNoReduction(const Stage& stage, const IterVar& axis, std::string_view primitive) {
  if (axis->iter_kind != ir::IterKind::kReduce && axis->iter_kind != ir::IterKind::kOrdered) return;
  if (Planted(PlantedBug::kReductionRaces)) return;
  const bool reduce = axis->iter_kind == ir::IterKind::kReduce;
  throw Error(Diagnostic{
      .name = "schedule-annotate-reduction",
      .message = std::string(primitive) + ": loop `" + axis->var->name + "` of stage `" +
                 stage.name + "` carries " + (reduce ? "a reduction" : "a recurrence"),
      .expected = "a loop over a data axis",
      .found = reduce ? "a reduction axis, whose iterations update the same element"
                      : "a scan's time axis, whose iterations depend on each other",
      .help =
          reduce
              ? "use it on a data axis, or split the reduction into a stage of its own with rfactor"
              : "use it on an axis of the scan's update"});
}

void RequireFactor(const Stage& stage, const IterVar& axis, const Expr& factor,
                   std::string_view primitive) {
  LATHE_CHECK(factor) << "null factor";
  const int64_t* value = ir::AsConstInt(factor);
  const bool integer = factor->dtype.is_integral() && factor->dtype.is_scalar();
  if (integer && (value == nullptr || *value > 0)) return;
  throw Error(Diagnostic{.name = "schedule-bad-factor",
                         .message = std::string(primitive) + " of loop `" + axis->var->name +
                                    "` of stage `" + stage.name + "`",
                         .expected = "a factor > 0",
                         .found = integer ? std::to_string(*value) : factor->dtype.ToString(),
                         .help = "use a positive integer"});
}

std::string WhyNotInlined(const Stage& stage) {
  if (stage.is_output) return "an output";
  if (ir::As<ir::ComputeOp>(stage.op) == nullptr)
    return std::string("a ") + ir::NodeKindName(stage.op->node_kind());
  if (stage.has_reduction() && !Planted(PlantedBug::kReductionInlined)) return "a reduction";
  if (ir::NumOutputs(*stage.op) != 1)
    return "an operation with " + std::to_string(ir::NumOutputs(*stage.op)) + " outputs";
  if (IsScanInit(stage) || IsScanUpdate(stage)) return "the init or update of a scan";
  return "";
}

void RequireAttachPoint(const ScheduleNode& schedule, const std::string& what, const Stage& parent,
                        const IterVar& axis) {
  if (&schedule != parent.schedule) {
    throw Error(Diagnostic{.name = "schedule-foreign-axis",
                           .message = "compute_at: " + what + " and stage `" + parent.name +
                                      "` belong to different schedules",
                           .expected = "two stages of one schedule",
                           .found = "stages of two",
                           .help = "use stages taken from the same schedule"});
  }
  for (const IterVar& known : parent.all_axes) {
    if (known.same_as(axis)) return;
  }
  parent.RequireLeaf(axis, "compute_at");  // the error lists the existing loops
}

}  // namespace lathe::schedule
