#include "schedule/primitives/reorder.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {

void Reorder(Stage& stage, const std::vector<IterVar>& axes) {
  std::vector<int> positions;
  for (const IterVar& axis : axes) {
    const int position = stage.RequireLeaf(axis, "reorder");
    if (std::find(positions.begin(), positions.end(), position) != positions.end()) {
      throw Error(Diagnostic{.name = "schedule-duplicate-axis",
                             .message = "reorder: loop `" + axis->var->name + "` of stage `" +
                                        stage.name + "` is named twice",
                             .expected = "each loop once",
                             .found = "`" + axis->var->name + "` again",
                             .help = "name every loop to be moved once, in its new order"});
    }
    positions.push_back(position);
  }
  std::sort(positions.begin(), positions.end());
  int last = -1;
  for (const IterVar& axis : axes) {
    if (axis->iter_kind != ir::IterKind::kOrdered) continue;
    const int position = stage.LeafIndex(axis);
    if (position < last) {
      throw Error(Diagnostic{
          .name = "schedule-reorder-time",
          .message = "reorder: loop `" + axis->var->name + "` of scan `" + stage.name +
                     "` is moved inside a loop that advances more slowly",
          .expected = "the parts of the time loop in their order",
          .found = "`" + axis->var->name + "` after `" +
                   stage.leaf_axes[static_cast<size_t>(last)]->var->name + "`",
          .help =
              "each step of a scan needs the steps before it: leave the time loops as they are"});
    }
    last = position;
  }
  for (size_t i = 0; i < axes.size(); ++i)
    stage.leaf_axes[static_cast<size_t>(positions[i])] = axes[i];
  Record(*stage.schedule, primitive::kReorder, {},
         {{operand::kStage, ir::String(stage.name)}, {operand::kAxes, AxesOperand(stage, axes)}});
}

}  // namespace lathe::schedule
