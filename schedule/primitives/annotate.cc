#include "schedule/primitives/annotate.h"

#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

void Annotate(Stage& stage, const IterVar& axis, ForKind kind, const char* primitive) {
  stage.RequireLeaf(axis, primitive);
  // The same once more changes nothing.
  if (const LeafAttr* attr = stage.FindAttr(axis); attr != nullptr && attr->kind == kind) return;
  RequirePlain(stage, axis, primitive);
  if (kind != ForKind::kUnrolled) RequireNoReduction(stage, axis, primitive);
  stage.AttrOf(axis).kind = kind;
  Record(*stage.schedule, primitive, {}, {{operand::kAxis, AxisOperand(stage, axis)}});
}

}  // namespace

void Vectorize(Stage& stage, const IterVar& axis) {
  Annotate(stage, axis, ForKind::kVectorized, primitive::kVectorize);
}
void Unroll(Stage& stage, const IterVar& axis) {
  Annotate(stage, axis, ForKind::kUnrolled, primitive::kUnroll);
}
void Parallel(Stage& stage, const IterVar& axis) {
  Annotate(stage, axis, ForKind::kParallel, primitive::kParallel);
}

}  // namespace lathe::schedule
