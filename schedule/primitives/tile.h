// tile: splits two loops and puts the tiles' loops outside.
//
//   for i: for j: ...   -->   for i.outer: for j.outer: for i.inner: for j.inner: ...
//
// The same as two splits and a reorder, and recorded as these. Errors: those of split and reorder.
#pragma once

#include "schedule/schedule.h"

namespace lathe::schedule {

struct Tiles {
  IterVar x_outer, y_outer, x_inner, y_inner;
};
Tiles Tile(Stage& stage, IterVar x, IterVar y, int64_t x_factor, int64_t y_factor);

}  // namespace lathe::schedule
