// The loop and dimension along which a rolling buffer rolls: see primitives/rolling_buffer.h.
#pragma once

#include "arith/analyzer.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

struct Rolling {
  IterVar loop;  // the stage's attach_axis
  size_t dim;    // of the tensor
  int64_t step =
      0;        // elements along `dim` by which the region moves from one iteration to the next
  Expr extent;  // elements along `dim` in memory: those of one iteration
  Expr
      old_end;  // below this, the iteration before has computed the element; by the loop's variable
};

// The schedule must be normalized. Throws "schedule-rolling-refused".
Rolling FindRolling(const Stage& stage, const Bounds& bounds, arith::Analyzer* analyzer);

}  // namespace lathe::schedule
