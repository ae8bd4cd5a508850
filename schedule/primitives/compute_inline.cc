#include "schedule/primitives/compute_inline.h"

#include "base/error.h"
#include "base/planted.h"
#include "schedule/trace.h"

namespace lathe::schedule {

void ComputeInline(Stage& stage) {
  std::string found;
  if (stage.is_output)
    found = "an output";
  else if (ir::As<ir::ComputeOp>(stage.op) == nullptr)
    found = std::string("a ") + ir::NodeKindName(stage.op->node_kind());
  else if (stage.has_reduction() && !Planted(PlantedBug::kReductionInlined))
    found = "a reduction";
  else if (ir::NumOutputs(*stage.op) != 1)
    found = "an operation with " + std::to_string(ir::NumOutputs(*stage.op)) + " outputs";
  else if (stage.attach == AttachKind::kScan)
    found = "part of a scan";
  if (!found.empty()) {
    throw Error(Diagnostic{
        .name = "schedule-inline-refused",
        .message = "compute_inline: stage `" + stage.name + "` cannot be inlined",
        .expected =
            "a compute with one output and no reduction that is not an output of the schedule",
        .found = found,
        .help = "use compute_at to compute it next to its reader"});
  }
  stage.attach = AttachKind::kInline;
  stage.attach_stage = nullptr;
  stage.attach_axis = nullptr;
  Record(*stage.schedule, "compute_inline", {}, {{"stage", ir::String(stage.name)}});
}

}  // namespace lathe::schedule
