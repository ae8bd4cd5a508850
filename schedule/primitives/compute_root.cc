#include "schedule/primitives/compute_root.h"

#include "schedule/trace.h"

namespace lathe::schedule {

void ComputeRoot(Stage& stage) {
  stage.attach = AttachKind::kRoot;
  stage.attach_stage = nullptr;
  stage.attach_axis = nullptr;
  Record(*stage.schedule, "compute_root", {}, {{"stage", ir::String(stage.name)}});
}

}  // namespace lathe::schedule
