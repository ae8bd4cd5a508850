#include "schedule/primitives/tile.h"

#include <tuple>

#include "schedule/primitives/reorder.h"
#include "schedule/primitives/split.h"

namespace lathe::schedule {

Tiles Tile(Stage& stage, IterVar x, IterVar y, int64_t x_factor, int64_t y_factor) {
  Tiles out;
  std::tie(out.x_outer, out.x_inner) = Split(stage, x, x_factor);
  std::tie(out.y_outer, out.y_inner) = Split(stage, y, y_factor);
  Reorder(stage, {out.x_outer, out.y_outer, out.x_inner, out.y_inner});
  return out;
}

}  // namespace lathe::schedule
