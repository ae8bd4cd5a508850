#include "schedule/primitives/set_scope.h"

#include "base/error.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void SetScope(Stage& stage, std::string scope) {
  if (stage.is_placeholder() || stage.is_output) {
    throw Error(
        Diagnostic{.name = "schedule-scope-refused",
                   .message = "set_scope: the memory of `" + stage.name + "` is the caller's",
                   .expected = "a stage that is neither an input nor an output",
                   .found = stage.is_placeholder() ? "an input" : "an output",
                   .help = stage.is_placeholder() ? "copy it into that scope with cache_read"
                                                  : "compute it in that scope with cache_write"});
  }
  if (IsScanInit(stage) || IsScanUpdate(stage)) {
    throw Error(Diagnostic{
        .name = "schedule-scope-refused",
        .message = "set_scope: `" + stage.name + "` is computed into the memory of scan `" +
                   stage.scan->name + "`",
        .expected = "a stage with memory of its own",
        .found = "the init or update of a scan",
        .help = "set the scope of the scan, or compute the rows in that scope with cache_write"});
  }
  stage.scope = std::move(scope);
  Record(*stage.schedule, primitive::kSetScope, {},
         {{operand::kStage, ir::String(stage.name)}, {operand::kScope, ir::String(stage.scope)}});
}

}  // namespace lathe::schedule
