// The part of a stage's loops that `tensorize` takes away, as a box of values of the stage's own
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
  std::vector<InnerAxis> data, reduce;  // in the order of the root axes
  ir::VarMap to_inner;                  // a root axis's variable: its value in the part
};

// The loops from leaf `first` inwards. Throws Error "schedule-tensorize-illegal" where they are not
// plain, have no constant extents, need guards, or do not run over a box once.
IntrinPart FindIntrinPart(const Stage& stage, size_t first, const Bounds& bounds,
                          arith::Analyzer* analyzer);
// What the part computes as a compute of its own, for people.
Op AsCompute(const Stage& stage, const IntrinPart& box);

// A node as people read it.
std::string ShortText(const NodeRef& node);

}  // namespace lathe::schedule
