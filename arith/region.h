// Integer sets with symbolic ends, and the set of values of an index expression.
//
// EvalSet is what bound inference stands on: given the sets of some variables, an interval that
// holds every value of an expression. It is always a superset; for affine expressions of
// independent variables it is exact. Other variables stay as symbols in the ends. Ends are
// simplified under the analyzer's knowledge. Thread-safety is the analyzer's.
#pragma once

#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"

namespace lathe::arith {

// The integers in [min, max]; a null end is infinite. Empty sets are marked: `nothing`.
struct IntSet {
  Expr min, max;
  bool nothing = false;

  static IntSet Everything() { return {}; }
  static IntSet Nothing() { return {{}, {}, true}; }
  static IntSet Point(Expr value) { return {value, value, false}; }
  static IntSet Interval(Expr min, Expr max) { return {std::move(min), std::move(max), false}; }
  // [min, min + extent); Everything for a null range. An extent that is the constant 1 gives a
  // point.
  static IntSet FromRange(const Range& range);

  bool is_everything() const { return !nothing && !min && !max; }
  bool is_bounded() const { return !nothing && min && max; }
  bool is_point() const { return is_bounded() && min.same_as(max); }
};

using DomMap = std::unordered_map<Var, IntSet, RefHash, RefEqual>;

// All values of `expr` when each variable of `dom` runs over its set. Sets in `dom` speak of
// variables outside `dom`.
IntSet EvalSet(const Expr& expr, const DomMap& dom, Analyzer* analyzer);
// The values of all min .. min + extent - 1 (ranges whose ends depend on variables of `dom`).
IntSet EvalSet(const Range& range, const DomMap& dom, Analyzer* analyzer);

// The smallest interval around all of them; Nothing of none.
IntSet Union(const std::vector<IntSet>& sets, Analyzer* analyzer);
// A superset of the intersection.
IntSet Intersect(const IntSet& a, const IntSet& b, Analyzer* analyzer);
// Does `outer` provably hold all of `inner`?
bool ProvablyCovers(const IntSet& outer, const IntSet& inner, Analyzer* analyzer);

// `dom` with the sets of its variables narrowed by what `condition` says about each (linear
// conditions; others do not narrow). For regions that are read only where a condition holds.
DomMap NarrowBy(const Expr& condition, const DomMap& dom, Analyzer* analyzer);

// The set as a range; null when it is not bounded. Nothing gives extent 0.
Range ToRange(const IntSet& set, Analyzer* analyzer);
// The set, or `fallback` where it is unbounded. `fallback` clips the unbounded end only.
Range CoverRange(const IntSet& set, const Range& fallback, Analyzer* analyzer);
// ToRange(EvalSet(...)); null when unbounded.
Range EvalRange(const Expr& expr, const DomMap& dom, Analyzer* analyzer);

}  // namespace lathe::arith
