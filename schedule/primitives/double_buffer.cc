#include "schedule/primitives/double_buffer.h"

#include "base/error.h"
#include "base/planted.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void DoubleBuffer(Stage& stage) {
  if ((stage.is_output || stage.is_placeholder()) && !Planted(PlantedBug::kOutputDoubled)) {
    throw Error(
        Diagnostic{.name = "schedule-double-buffer-refused",
                   .message = "double_buffer: the memory of `" + stage.name + "` is the caller's",
                   .expected = "a stage that is neither an input nor an output",
                   .found = stage.is_output ? "an output" : "an input",
                   .help = "double-buffer a cache of it, computed within a loop"});
  }
  stage.double_buffer = true;
  Record(*stage.schedule, primitive::kDoubleBuffer, {},
         {{operand::kStage, ir::String(stage.name)}});
}

}  // namespace lathe::schedule
