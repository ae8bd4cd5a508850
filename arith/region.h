// Integer sets with symbolic ends, and the set of values of an index expression.
//
// Bound inference is built on EvalSet: from the sets of some variables it computes an interval that
// contains every value of an expression. The interval is always a superset; for affine expressions
// of independent variables it is exact. Other variables stay as symbols in the ends. Ends are
// simplified with the analyzer's knowledge. Not thread-safe, because the analyzer is not.
#pragma once

#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"

namespace lathe::arith {

// The integers in [min, max]; a null end is infinite. `nothing` marks the empty set.
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

// All values of `expr` when each variable of `dom` takes all values of its set. Sets in `dom` may
// use only variables outside `dom`.
IntSet EvalSet(const Expr& expr, const DomMap& dom, Analyzer* analyzer);
// The union of the ranges [min, min + extent) whose ends depend on variables of `dom`.
IntSet EvalSet(const Range& range, const DomMap& dom, Analyzer* analyzer);

// The smallest interval that contains all sets. Nothing if there are none.
IntSet Union(const std::vector<IntSet>& sets, Analyzer* analyzer);
// A superset of the intersection.
IntSet Intersect(const IntSet& a, const IntSet& b, Analyzer* analyzer);
// True if `outer` provably contains all of `inner`.
bool ProvablyCovers(const IntSet& outer, const IntSet& inner, Analyzer* analyzer);

// `dom` with the set of each variable narrowed by `condition`. Only linear conditions narrow. For
// regions that are read only if a condition holds.
DomMap NarrowBy(const Expr& condition, const DomMap& dom, Analyzer* analyzer);

// The set as a range. Null if it is not bounded. Nothing gives a range of extent 0.
Range ToRange(const IntSet& set, Analyzer* analyzer);
// The set as a range; `fallback` supplies an end that is unbounded. If `fallback` is null, as
// ToRange.
Range CoverRange(const IntSet& set, const Range& fallback, Analyzer* analyzer);
// ToRange(EvalSet(...)). Null if the set is unbounded or empty.
Range EvalRange(const Expr& expr, const DomMap& dom, Analyzer* analyzer);

}  // namespace lathe::arith
