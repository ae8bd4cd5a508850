#include "schedule/primitives/pipeline.h"

#include "base/error.h"
#include "ir/names.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void Pipeline(Stage& stage, const IterVar& axis, int64_t stages, bool async) {
  stage.RequireLeaf(axis, "pipeline");
  RequirePlain(stage, axis, "pipeline");
  if (stages < 2 || stages > 16) {
    throw Error(Diagnostic{
        .name = "schedule-pipeline-stages",
        .message = "pipeline of loop `" + axis->var->name + "` of stage `" + stage.name + "`",
        .expected = "2 to 16 stages",
        .found = std::to_string(stages),
        .help = "as many blocks of memory are kept as there are stages"});
  }
  Dict& annotations = stage.AttrOf(axis).annotations;
  annotations[ir::annotation::kPipelineStages] = ir::Int(stages);
  annotations[ir::annotation::kPipelineAsync] = ir::Int(async ? 1 : 0);
  Record(*stage.schedule, primitive::kPipeline, {},
         {{operand::kAxis, AxisOperand(stage, axis)},
          {operand::kStages, ir::Int(stages)},
          {operand::kAsync, ir::Int(async ? 1 : 0)}});
}

}  // namespace lathe::schedule
