// Simplifies comparisons.
#include <algorithm>

#include "arith/context.h"
#include "arith/int_math.h"

namespace lathe::arith::internal {

using ir::As;

Expr Context::LocalVectorCompare(const Expr& expr, const Expr& a, const Expr& b) {
  // Ramps are monotone: if the comparison is true in the first and the last lane, it is true in all
  // lanes. The same holds for false.
  const DataType dtype = a->dtype;
  if (dtype.is_scalable() || !IsIndexVector(dtype) || expr->node_kind() == NodeKind::kEQ ||
      expr->node_kind() == NodeKind::kNE) {
    return expr;
  }
  auto lane = [&](const Expr& vector, int i) -> std::optional<Linear> {
    if (const auto* broadcast = As<ir::Broadcast>(vector)) return terms.LinearOf(broadcast->value);
    if (const auto* ramp = As<ir::Ramp>(vector)) {
      return Combine(terms.LinearOf(ramp->base), 1, terms.LinearOf(ramp->stride), i);
    }
    return std::nullopt;
  };
  std::optional<bool> truth;
  for (int i : {0, dtype.lanes() - 1}) {
    const auto x = lane(a, i), y = lane(b, i);
    if (!x || !y) return expr;
    const auto decided = Decide(expr->node_kind(), Combine(*x, 1, *y, -1), kQuickProof);
    if (!decided || (truth && *truth != *decided)) return expr;
    truth = decided;
  }
  return ir::Bool(*truth, dtype.lanes());
}

Expr Context::LocalCompare(const Expr& expr, const Expr& a, const Expr& b, int depth) {
  const NodeKind op = expr->node_kind();
  if (!a->dtype.is_integral()) return expr;
  if (const std::optional<bool> truth = Decide(expr, kQuickProof)) {
    return ir::Bool(*truth, expr->dtype.lanes());
  }
  if (a->dtype.is_vector()) return LocalVectorCompare(expr, a, b);
  if (!IsIndex(a->dtype)) return expr;

  // Write the comparison as d OP 0 for the difference d. Strict and non-strict orders differ by
  // one.
  const DataType dtype = a->dtype;
  const Linear left = terms.LinearOf(a), right = terms.LinearOf(b);
  Linear d = terms.Recombine(Combine(left, 1, right, -1));
  if (!d.known || d.terms.empty()) return expr;
  const size_t before =
      left.terms.size() + right.terms.size() + (left.constant != 0) + (right.constant != 0);
  bool changed = d.terms.size() + (d.constant != 0) < before;
  NodeKind kind = op;
  const bool equality = op == NodeKind::kEQ || op == NodeKind::kNE;
  // Try the factors g that some terms have in common, largest first. A factor can be divided out if
  // the other terms stay within one period of g.
  std::vector<int64_t> factors;
  for (const Term& term : d.terms) {
    const int64_t g = GcdInt(term.coeff, 0);
    if (g > 1) factors.push_back(g);
  }
  std::sort(factors.rbegin(), factors.rend());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (factors.size() > 8) factors.resize(8);
  if (int64_t gcd = 0; !factors.empty()) {
    for (const Term& term : d.terms) gcd = GcdInt(gcd, term.coeff);
    if (gcd > 1 && std::find(factors.begin(), factors.end(), gcd) == factors.end()) {
      factors.push_back(gcd);
    }
  }
  for (int64_t g : factors) {
    // d = g * upper + lower
    Linear upper, lower;
    for (const Term& term : d.terms) {
      if (term.coeff % g == 0) {
        upper.terms.push_back({term.atom, term.coeff / g});
      } else {
        lower.terms.push_back(term);
      }
    }
    if (equality) {
      if (!lower.terms.empty()) continue;
      if (d.constant % g != 0) return ir::Bool(op == NodeKind::kNE);
      upper.constant = d.constant / g;
      d = upper;
      changed = true;
      break;
    }
    // Write the order as d < 0 or d >= 0: d <= 0 is d - 1 < 0, and d > 0 is d - 1 >= 0.
    const bool shift = op == NodeKind::kLE || op == NodeKind::kGT;
    const auto constant = CheckedAdd(d.constant, shift ? -1 : 0);
    if (!constant) continue;
    upper.constant = FloorDivInt(*constant, g);
    lower.constant = FloorModInt(*constant, g);
    const ConstBound bound = FactsOf(lower).bound;
    if (bound.is_empty() || !bound.has_min() || !bound.has_max()) continue;
    const int64_t low = FloorDivInt(bound.min, g);
    if (low != FloorDivInt(bound.max, g)) continue;
    // g * upper + lower < 0 is upper + low < 0. This removes terms, or divides a lone c*x OP
    // constant.
    d = AddConstant(upper, low);
    kind = op == NodeKind::kLE ? NodeKind::kLT : op == NodeKind::kGT ? NodeKind::kGE : op;
    changed = true;
    break;
  }
  if (!changed || !d.known) return expr;
  for (const Term& term : d.terms) {
    if (term.coeff == INT64_MIN || !ConstBound::OfType(dtype).Contains(GcdInt(term.coeff, 0))) {
      return expr;
    }
  }
  if (d.constant == INT64_MIN) return expr;
  if (kind != op) {
    // Return to the original operator: p < 0 as p + 1 <= 0, p >= 0 as p + 1 > 0.
    kind = op;
    d = AddConstant(std::move(d), 1);
  }
  // Added terms stay on the left, subtracted terms go to the right. The constant goes to the side
  // where it is positive, or to the side that has nothing else.
  Linear lhs, rhs;
  for (const Term& term : d.terms) {
    if (term.coeff > 0) {
      lhs.terms.push_back(term);
    } else {
      rhs.terms.push_back({term.atom, -term.coeff});
    }
  }
  if (lhs.terms.empty()) {
    std::swap(lhs, rhs);
    kind = Swapped(kind);
    lhs.constant = 0;
    rhs.constant = d.constant;
  } else if (rhs.terms.empty() || d.constant < 0) {
    rhs.constant = -d.constant;
  } else {
    lhs.constant = d.constant;
  }
  const ConstBound type = ConstBound::OfType(dtype);
  if (!type.Contains(lhs.constant) || !type.Contains(rhs.constant)) return expr;
  const Expr result = ir::MakeBinary(kind, Print(lhs, dtype), Print(rhs, dtype));
  if (const std::optional<bool> truth = Decide(result, kQuickProof)) return ir::Bool(*truth);
  return depth < kMaxRuleDepth ? ApplyRules(result, depth + 1) : result;
}

}  // namespace lathe::arith::internal
