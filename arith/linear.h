// Linear equations in given variables, clip bounds, and solving a condition for one variable.
#pragma once

#include <optional>
#include <vector>

#include "arith/analyzer.h"
#include "arith/region.h"

namespace lathe::arith {

// expr == sum(coefficients[i] * vars[i]) + base, where neither the coefficients nor base use any of
// vars.
struct LinearEquation {
  std::vector<Expr> coefficients;
  Expr base;
};
// Nullopt where `expr` is not linear in `vars`, or not of an index type.
std::optional<LinearEquation> DetectLinear(const Expr& expr, const std::vector<Var>& vars,
                                           Analyzer* analyzer);

// For each variable the interval that the conjuncts of `condition` confine it to, in terms of
// everything else but `vars`. Nullopt where a conjunct speaks of `vars` and is not of that form
// (one variable, constant coefficient).
std::optional<std::vector<IntSet>> DetectClipBounds(const Expr& condition,
                                                    const std::vector<Var>& vars,
                                                    Analyzer* analyzer);

// The values of `var` for which `condition` surely holds, whatever values the variables of `relax`
// take in their sets: a subset of the solutions, exact for conditions that are linear in `var`
// (floor divisions by constants are seen through) when `relax` is empty. Nothing where no interval
// can be found.
//
//   DeduceBound(i, i * 4 + j < n, {j: [0, 3]})  -->  [-inf, n//4 - 1]
IntSet DeduceBound(const Var& var, const Expr& condition, const DomMap& relax, Analyzer* analyzer);

}  // namespace lathe::arith
