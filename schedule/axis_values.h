// Computes an operation's axes from its loops, and the guards that this needs.
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
// coordinates (the min of their range is added); all others count from 0. Axes made of axes without
// bounds have no value.
AxisMap AxisValues(const Stage& stage, const Bounds& bounds);

// What an analyzer may know of a leaf's loop variable while the stage's nest is made. Code outside
// of the loop must not conclude that the loop runs: the extent of a reduction's loop may depend on
// another loop of the stage (S52), and be 0 in some of its iterations.
Range LoopFact(const Stage& stage, const Bounds& bounds, const IterVar& leaf);

// The set of values of every root axis, in order, when each leaf's loop variable takes the values
// in `leaves` (its whole range if it is not in `leaves`). `leaves` is not keyed by the axes'
// variables, because as loop variables these count from 0.
std::vector<arith::IntSet> RootSets(const Stage& stage, const Bounds& bounds,
                                    const arith::DomMap& leaves, arith::Analyzer* analyzer);

// The conditions under which an iteration belongs to the stage's domain; proved ones are left out
// (S1, S2). `analyzer` must know the ranges of the loops around.
struct Guard {
  // The reason for the guard: a split that covers more than its parent; a thread axis wider than
  // its loop; a needed region that may exceed the operation's domain, or a scan's init its state.
  enum class Cause { kSplit, kThread, kDomain };
  Expr condition;
  bool on_reduction;  // restricts a reduce axis: not for the initialisation
  Cause cause;
  IterVar axis;  // the split axis; the bound leaf; the root axis
};
std::vector<Guard> BoundGuards(const Stage& stage, const Bounds& bounds, const AxisMap& values,
                               arith::Analyzer* analyzer);

}  // namespace lathe::schedule
