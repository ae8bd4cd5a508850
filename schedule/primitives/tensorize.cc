#include "schedule/primitives/tensorize.h"

#include "base/error.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

void Tensorize(Stage& stage, const IterVar& axis, Ref<const ir::TensorIntrinNode> intrin,
               const std::string& target) {
  LATHE_CHECK(intrin) << "null intrinsic";
  te::CheckTensorIntrin(*intrin);
  stage.RequireLeaf(axis, "tensorize");
  const LeafAttr* before = stage.FindAttr(axis);
  // A loop that is tensorized already gets the new intrinsic instead.
  if (before == nullptr || !before->intrin) RequirePlain(stage, axis, "tensorize");
  auto refuse = [&](std::string what, std::string found, std::string help) {
    throw Error(Diagnostic{.name = "schedule-tensorize-illegal",
                           .message = "tensorize of stage `" + stage.name + "`: " + what,
                           .expected = "a compute with one tensorized loop",
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  if (ir::As<ir::ComputeOp>(stage.op) == nullptr) {
    refuse("only computes have loops that an intrinsic can stand for",
           std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "tensorize the computes that it reads or that read it");
  }
  for (const auto& [other, attr] : stage.leaf_attrs) {
    if (!attr.intrin || &attr == before) continue;
    refuse("a loop of it is tensorized already", "a second one, `" + axis->var->name + "`",
           "compute the other part in a stage of its own");
  }
  Dict operands = {{operand::kAxis, AxisOperand(stage, axis)}};
  const bool registered = te::FindTensorIntrin(intrin->name, target).same_as(intrin);
  operands[operand::kIntrin] = registered ? NodeRef(ir::String(intrin->name)) : NodeRef(intrin);
  if (registered && !target.empty()) operands[operand::kTarget] = ir::String(target);
  stage.AttrOf(axis).intrin = std::move(intrin);
  Record(*stage.schedule, primitive::kTensorize, {}, std::move(operands));
}

}  // namespace lathe::schedule
