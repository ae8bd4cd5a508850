#include "schedule/primitives/compute_at.h"

#include "base/error.h"
#include "base/planted.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

bool IsRead(const Stage& stage) {
  for (const Ref<Stage>& other : stage.schedule->stages) {
    for (const Tensor& input : ir::InputsOf(*other->op)) {
      if (input->op.same_as(stage.op)) return true;
    }
  }
  return false;
}

}  // namespace

void ComputeAt(Stage& stage, Stage& parent, const IterVar& axis) {
  if (stage.is_placeholder()) {
    throw Error(Diagnostic{.name = "schedule-attach-input",
                           .message = "compute_at: `" + stage.name + "` is an input",
                           .expected = "a stage that is computed",
                           .found = "a placeholder, which the caller fills",
                           .help = "attach a copy of it, made with cache_read"});
  }
  if (stage.is_output && !IsRead(stage) && !Planted(PlantedBug::kOutputAttached)) {
    throw Error(Diagnostic{.name = "schedule-attach-output",
                           .message = "compute_at: stage `" + stage.name + "` is an output",
                           .expected = "a stage that another stage reads",
                           .found = "an output that only the caller reads",
                           .help = "attach its producers to it instead"});
  }
  if (&stage == &parent) {
    throw Error(Diagnostic{
        .name = "schedule-attach-self",
        .message = "compute_at: stage `" + stage.name + "` cannot be computed within itself",
        .expected = "a stage that reads it",
        .found = "the stage itself",
        .help = "name the consumer's stage and one of its loops"});
  }
  if (IsScanInit(stage) || IsScanUpdate(stage)) {
    throw Error(Diagnostic{
        .name = "schedule-attach-scan-part",
        .message = "compute_at: stage `" + stage.name + "` is the " +
                   (IsScanInit(stage) ? "init" : "update") + " of scan `" + stage.scan->name + "`",
        .expected = "a stage that is computed where its readers need it",
        .found = "one that is computed at every step of the scan's time loop, or before it",
        .help = "schedule its own loops, or attach the stages it reads to them"});
  }
  RequireAttachPoint(*stage.schedule, "stage `" + stage.name + "`", parent, axis);
  if (stage.group != nullptr && (parent.group == nullptr || !parent.group->Within(stage.group))) {
    throw Error(Diagnostic{.name = "schedule-group-attach",
                           .message = "compute_at: stage `" + stage.name + "` is in group `" +
                                      stage.group->name + "`, stage `" + parent.name + "` is not",
                           .expected = "a stage of the same group",
                           .found = "`" + parent.name + "`",
                           .help = "attach the group, or make the group from other stages"});
  }
  stage.attach = AttachKind::kScope;
  stage.attach_stage = &parent;
  stage.attach_axis = axis;
  Record(*stage.schedule, primitive::kComputeAt, {},
         {{operand::kStage, ir::String(stage.name)}, {operand::kAxis, AxisOperand(parent, axis)}});
}

}  // namespace lathe::schedule
