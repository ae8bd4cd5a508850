#include "schedule/primitives/env_threads.h"

#include <unordered_set>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

[[noreturn]] void Refuse(const Stage& stage, std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "schedule-env-threads",
                         .message = "env_threads of stage `" + stage.name + "`",
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "pass axes made by thread_axis with a tag and an extent"});
}

}  // namespace

void EnvThreads(Stage& stage, const std::vector<IterVar>& axes) {
  if (stage.is_placeholder()) Refuse(stage, "a stage that computes", "an input");
  std::unordered_set<std::string> tags;
  std::vector<NodeRef> names, extents;
  for (const IterVar& axis : axes) {
    if (axis->iter_kind != ir::IterKind::kThread || axis->thread_tag.empty())
      Refuse(stage, "thread axes", "`" + axis->var->name + "`, which is none");
    if (!axis->domain)
      Refuse(stage, "thread axes with extents", "`" + axis->thread_tag + "` without one");
    if (!tags.insert(axis->thread_tag).second)
      Refuse(stage, "each thread axis once", "`" + axis->thread_tag + "` twice");
    for (const IterVar& leaf : stage.leaf_axes) {
      const LeafAttr* attr = stage.FindAttr(leaf);
      if (attr != nullptr && attr->kind == ForKind::kThread &&
          attr->thread->thread_tag == axis->thread_tag)
        Refuse(stage, "axes that none of the stage's loops is bound to",
               "`" + axis->thread_tag + "`, which loop `" + leaf->var->name + "` is bound to");
    }
    names.push_back(ir::String(axis->thread_tag));
    extents.push_back(axis->domain->extent);
  }
  stage.env_threads = axes;
  Record(*stage.schedule, primitive::kEnvThreads, {},
         {{operand::kStage, ir::String(stage.name)},
          {operand::kThreads, ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(names))},
          {operand::kExtents,
           ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(extents))}});
}

}  // namespace lathe::schedule
