#include "schedule/primitives/bind.h"

#include "base/error.h"
#include "ir/buffer.h"
#include "ir/names.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

IterVar ThreadAxis(std::string tag, Expr extent) {
  Range domain = extent ? ir::MakeRange(ir::Const(0, extent->dtype), extent) : Range();
  ir::Var var = ir::MakeVar(tag, extent ? extent->dtype : DataType::Int(32));
  return ir::MakeIterVar(std::move(domain), std::move(var), ir::IterKind::kThread, std::move(tag));
}

void Bind(Stage& stage, const IterVar& axis, const IterVar& thread) {
  stage.RequireLeaf(axis, "bind");
  // The same once more changes nothing.
  if (const LeafAttr* attr = stage.FindAttr(axis);
      attr != nullptr && attr->thread && attr->thread.same_as(thread))
    return;
  RequirePlain(stage, axis, "bind");
  if (thread->iter_kind != ir::IterKind::kThread || thread->thread_tag.empty()) {
    throw Error(Diagnostic{
        .name = "schedule-bind-not-a-thread",
        .message = "bind: `" + thread->var->name + "` is not a thread axis",
        .expected = "an axis made by thread_axis, such as thread_axis(\"threadIdx.x\")",
        .found = std::string("a ") +
                 ir::IterVarNode::kIterKindNames[static_cast<int>(thread->iter_kind)] + " axis",
        .help = "bind a loop to a thread axis, not to another loop"});
  }
  if (thread->thread_tag.starts_with(ir::thread_tag::kBlockPrefix) ||
      thread->thread_tag == ir::thread_tag::kVirtual)
    RequireNoReduction(stage, axis, "bind");
  for (const auto& [other, attr] : stage.leaf_attrs) {
    if (attr.kind == ForKind::kThread && attr.thread->thread_tag == thread->thread_tag &&
        thread->thread_tag != ir::thread_tag::kVirtual) {
      throw Error(
          Diagnostic{.name = "schedule-bind-extent",
                     .message = "bind: thread axis `" + thread->thread_tag +
                                "` is used twice in stage `" + stage.name + "`",
                     .expected = "each thread axis on one loop of a stage",
                     .found = "loop `" + other->var->name + "` and loop `" + axis->var->name + "`",
                     .help = "fuse the loops, or use another dimension of the thread axis"});
    }
  }
  LeafAttr& attr = stage.AttrOf(axis);
  attr.kind = ForKind::kThread;
  attr.thread = thread;
  Dict operands = {{operand::kAxis, AxisOperand(stage, axis)},
                   {operand::kThread, ir::String(thread->thread_tag)}};
  if (thread->domain) operands[operand::kExtent] = thread->domain->extent;
  Record(*stage.schedule, primitive::kBind, {}, std::move(operands));
}

}  // namespace lathe::schedule
