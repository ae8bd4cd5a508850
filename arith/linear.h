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
// Nullopt if `expr` is not linear in `vars` or not of an index type.
std::optional<LinearEquation> DetectLinear(const Expr& expr, const std::vector<Var>& vars,
                                           Analyzer* analyzer);

// For each variable of `vars`, the interval that the conjuncts of `condition` allow. The ends use
// no variable of `vars`. Nullopt if a conjunct uses `vars` but is not a linear condition on one of
// them with a constant coefficient.
std::optional<std::vector<IntSet>> DetectClipBounds(const Expr& condition,
                                                    const std::vector<Var>& vars,
                                                    Analyzer* analyzer);

// Values of `var` for which `condition` holds for all values that the variables of `relax` take in
// their sets. A subset of the solutions. It is exact if `relax` is empty and the condition is
// linear in `var`, also inside floor divisions by constants. Nothing if no interval can be found.
//
//   DeduceBound(i, i * 4 + j < n, {j: [0, 3]})  -->  [-inf, n//4 - 1]
IntSet DeduceBound(const Var& var, const Expr& condition, const DomMap& relax, Analyzer* analyzer);

}  // namespace lathe::arith
