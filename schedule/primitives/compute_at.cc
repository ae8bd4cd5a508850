#include "schedule/primitives/compute_at.h"

#include "base/error.h"
#include "base/planted.h"
#include "schedule/trace.h"

namespace lathe::schedule {

void ComputeAt(Stage& stage, Stage& parent, const IterVar& axis) {
  if (stage.is_output && !Planted(PlantedBug::kOutputAttached)) {
    throw Error(Diagnostic{.name = "schedule-attach-output",
                           .message = "compute_at: stage `" + stage.name + "` is an output",
                           .expected = "a stage that another stage reads",
                           .found = "an output of the schedule, which is always computed whole",
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
  if (stage.schedule != parent.schedule) {
    throw Error(Diagnostic{.name = "schedule-foreign-axis",
                           .message = "compute_at: stages `" + stage.name + "` and `" +
                                      parent.name + "` belong to different schedules",
                           .expected = "two stages of one schedule",
                           .found = "stages of two",
                           .help = "use stages taken from the same schedule"});
  }
  bool known = false;
  for (const IterVar& a : parent.all_axes) known = known || a.same_as(axis);
  if (!known) parent.RequireLeaf(axis, "compute_at");  // throws with the loops there are
  stage.attach = AttachKind::kScope;
  stage.attach_stage = &parent;
  stage.attach_axis = axis;
  Record(*stage.schedule, "compute_at", {},
         {{"stage", ir::String(stage.name)}, {"axis", AxisOperand(parent, axis)}});
}

}  // namespace lathe::schedule
