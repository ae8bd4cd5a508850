// The part of a stage's loops that `tensorize` replaces, as a box of values of the stage's own
// axes.
#pragma once

#include <string>
#include <vector>

#include "arith/analyzer.h"
#include "ir/rewrite.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// A root axis within the part: base (over the outer loops) plus `var` in [0, extent).
struct InnerAxis {
  IterVar root;
  Expr base;
  int64_t extent;
  ir::Var var;
};

struct IntrinPart {
  std::vector<InnerAxis> data, reduce;  // both in the order of the root axes
  ir::VarMap to_inner;                  // root axis's variable -> its value in the part
};

// The loops from leaf `first` inwards. Throws Error "schedule-tensorize-illegal" if they are not
// plain, do not have constant extents, need guards, or do not cover a box exactly once.
IntrinPart FindIntrinPart(const Stage& stage, size_t first, const Bounds& bounds,
                          arith::Analyzer* analyzer);
// The computation of the part as a separate compute, for messages.
Op AsCompute(const Stage& stage, const IntrinPart& box);

// A node in a short form for messages.
std::string ShortText(const NodeRef& node);

}  // namespace lathe::schedule
