// From loops back to an operation's axes, and the guards that takes.
#pragma once

#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"
#include "arith/region.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

using AxisMap = std::unordered_map<const ir::Node*, Expr>;

// The value of every axis in terms of the leaves' loop variables. Root axes are in the tensor's
// coordinates (their range's min added), all others count from 0.
AxisMap AxisValues(const Stage& stage, const Bounds& bounds);

// The set of values of every root axis, in order, when each leaf's loop variable runs over the set
// `leaves` gives (its whole range where `leaves` has none). Not keyed by the axes' variables: as
// loop variables those count from 0 and mean something else.
std::vector<arith::IntSet> RootSets(const Stage& stage, const Bounds& bounds,
                                    const arith::DomMap& leaves, arith::Analyzer* analyzer);

// The conditions under which an iteration belongs to the stage's domain; those that are proved are
// left out (S1, S2). Knowledge about the loops around (their ranges) must be in `analyzer`.
struct Guard {
  // What makes it necessary: a split that covers more than its parent, a thread axis wider than its
  // loop, a needed region that may reach beyond the operation's domain.
  enum class Cause { kSplit, kThread, kDomain };
  Expr condition;
  bool on_reduction;  // concerns a reduce axis: not for the initialisation
  Cause cause;
  IterVar axis;  // what was split; the leaf that is bound; the root axis
};
std::vector<Guard> BoundGuards(const Stage& stage, const Bounds& bounds, const AxisMap& values,
                               arith::Analyzer* analyzer);

}  // namespace lathe::schedule
