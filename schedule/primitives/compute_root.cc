#include "schedule/primitives/compute_root.h"

#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void ComputeRoot(Stage& stage) {
  if (stage.scan != nullptr) {
    // A stage that depends on a state cannot be further out than the step that makes the state.
    stage.attach = AttachKind::kScan;
    stage.attach_stage = stage.scan;
    stage.attach_axis = static_cast<const ir::ScanOp&>(*stage.scan->op).scan_axis;
  } else {
    stage.attach = AttachKind::kRoot;
    stage.attach_stage = nullptr;
    stage.attach_axis = nullptr;
  }
  Record(*stage.schedule, primitive::kComputeRoot, {}, {{operand::kStage, ir::String(stage.name)}});
}

}  // namespace lathe::schedule
