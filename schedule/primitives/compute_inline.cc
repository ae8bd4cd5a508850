#include "schedule/primitives/compute_inline.h"

#include "base/error.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void ComputeInline(Stage& stage) {
  const std::string found = WhyNotInlined(stage);
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
  Record(*stage.schedule, primitive::kComputeInline, {},
         {{operand::kStage, ir::String(stage.name)}});
}

}  // namespace lathe::schedule
