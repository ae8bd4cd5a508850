#include "schedule/primitives/reorder.h"

#include <algorithm>

#include "base/error.h"
#include "schedule/trace.h"

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
  for (size_t i = 0; i < axes.size(); ++i)
    stage.leaf_axes[static_cast<size_t>(positions[i])] = axes[i];
  Record(*stage.schedule, "reorder", {},
         {{"stage", ir::String(stage.name)}, {"axes", AxesOperand(stage, axes)}});
}

}  // namespace lathe::schedule
