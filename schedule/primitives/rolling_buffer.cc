#include "schedule/primitives/rolling_buffer.h"

#include "base/error.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void RollingBuffer(Stage& stage) {
  const bool compute = ir::As<ir::ComputeOp>(stage.op) != nullptr;
  if (!compute || stage.is_output) {
    throw Error(Diagnostic{
        .name = "schedule-rolling-refused",
        .message = "rolling_buffer: stage `" + stage.name + "` cannot keep a part of its memory",
        .expected = "a compute that is no output of the schedule",
        .found = compute ? "an output, which is needed whole"
                         : std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
        .help = "compute it at a loop of its reader first"});
  }
  stage.rolling = true;
  Record(*stage.schedule, primitive::kRollingBuffer, {},
         {{operand::kStage, ir::String(stage.name)}});
}

}  // namespace lathe::schedule
