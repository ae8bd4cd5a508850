#include "schedule/primitives/set_store_predicate.h"

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void SetStorePredicate(Stage& stage, Expr predicate) {
  LATHE_CHECK(predicate) << "null predicate";
  auto refuse = [&](std::string expected, std::string found, std::string help) {
    throw Error(Diagnostic{.name = "schedule-predicate-refused",
                           .message = "set_store_predicate of stage `" + stage.name + "`",
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  if (ir::As<ir::ComputeOp>(stage.op) == nullptr) {
    refuse("a compute", std::string("a ") + ir::NodeKindName(stage.op->node_kind()),
           "set it on the compute whose stores are meant");
  }
  if (predicate->dtype != DataType::Bool())
    refuse("a scalar bool", predicate->dtype.ToString(), "compare with something");
  ir::PostOrder(predicate, [&](const ir::Node& node) {
    if (node.node_kind() == ir::NodeKind::kLoad)
      refuse("a condition on axes", "one that reads a tensor", "use the axes alone");
  });
  ir::VarMap to_loops, to_names;
  for (const IterVar& leaf : stage.leaf_axes) {
    const LeafAttr* attr = stage.FindAttr(leaf);
    if (attr != nullptr && attr->thread) to_loops[attr->thread->var] = leaf->var;
  }
  predicate = ir::Substitute(predicate, to_loops);
  std::vector<std::string> names;
  for (const IterVar& axis : stage.all_axes) {
    names.push_back(stage.AxisName(axis));
    to_names[axis->var] = ir::MakeVar(names.back(), axis->var->dtype);
  }
  for (const ir::Var& var : ir::FreeVars(predicate)) {
    if (to_names.count(var) == 0)
      refuse("axes of the stage: " + QuotedList(names), "`" + var->name + "`",
             "use the variables of its axes, or of threads that its loops are bound to");
  }
  Record(*stage.schedule, primitive::kSetStorePredicate, {},
         {{operand::kStage, ir::String(stage.name)},
          {operand::kPredicate, ir::String(ir::ToText(ir::Substitute(predicate, to_names)))}});
  stage.store_predicate = std::move(predicate);
}

}  // namespace lathe::schedule
