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

namespace {

// A comparison with zero: sum OP 0.
struct Comparison {
  Linear sum;
  NodeKind op;
};

bool IsEquality(NodeKind op) { return op == NodeKind::kEQ || op == NodeKind::kNE; }

// Factors that some terms have in common, largest first, and that of all terms.
std::vector<int64_t> FactorsOf(const Linear& sum) {
  std::vector<int64_t> factors;
  for (const Term& term : sum.terms) {
    const int64_t g = GcdInt(term.coeff, 0);
    if (g > 1) factors.push_back(g);
  }
  std::sort(factors.rbegin(), factors.rend());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (factors.size() > 8) factors.resize(8);
  if (int64_t gcd = 0; !factors.empty()) {
    for (const Term& term : sum.terms) gcd = GcdInt(gcd, term.coeff);
    if (gcd > 1 && std::find(factors.begin(), factors.end(), gcd) == factors.end())
      factors.push_back(gcd);
  }
  return factors;
}

// The comparison with the factor g divided out; `truth` if it turns out to be constant. Nothing if
// that is not possible. An order becomes < or >=.
struct Divided {
  Comparison comparison;
  std::optional<bool> truth;
};

std::optional<Divided> DivideOut(const Comparison& before, int64_t g, Context& context) {
  // sum = g * upper + lower
  Linear upper, lower;
  for (const Term& term : before.sum.terms) {
    if (term.coeff % g == 0) {
      upper.terms.push_back({term.atom, term.coeff / g});
    } else {
      lower.terms.push_back(term);
    }
  }
  const NodeKind op = before.op;
  const int64_t constant = before.sum.constant;
  if (IsEquality(op)) {
    if (!lower.terms.empty()) return std::nullopt;
    if (constant % g != 0) return Divided{{}, op == NodeKind::kNE};
    upper.constant = constant / g;
    return Divided{{std::move(upper), op}, std::nullopt};
  }
  // Write the order as sum < 0 or sum >= 0: sum <= 0 is sum - 1 < 0, and sum > 0 is sum - 1 >= 0.
  const bool shift = op == NodeKind::kLE || op == NodeKind::kGT;
  const auto shifted = CheckedAdd(constant, shift ? -1 : 0);
  if (!shifted) return std::nullopt;
  upper.constant = FloorDivInt(*shifted, g);
  lower.constant = FloorModInt(*shifted, g);
  // The other terms must stay within one period of g.
  const ConstBound bound = context.FactsOf(lower).bound;
  if (bound.is_empty() || !bound.has_min() || !bound.has_max()) return std::nullopt;
  const int64_t low = FloorDivInt(bound.min, g);
  if (low != FloorDivInt(bound.max, g)) return std::nullopt;
  // g * upper + lower < 0 is upper + low < 0. This removes terms, or divides a lone c*x OP
  // constant.
  const NodeKind strict = op == NodeKind::kLE   ? NodeKind::kLT
                          : op == NodeKind::kGT ? NodeKind::kGE
                                                : op;
  return Divided{{AddConstant(std::move(upper), low), strict}, std::nullopt};
}

// Added terms stay on the left, subtracted terms go to the right. The constant goes to the side
// where it is positive, or to the side that has nothing else. Null if a constant does not fit the
// type.
Expr Arranged(const Comparison& comparison, DataType dtype, Context& context) {
  const Linear& sum = comparison.sum;
  NodeKind op = comparison.op;
  Linear lhs, rhs;
  for (const Term& term : sum.terms) {
    if (term.coeff > 0) {
      lhs.terms.push_back(term);
    } else {
      rhs.terms.push_back({term.atom, -term.coeff});
    }
  }
  if (lhs.terms.empty()) {
    std::swap(lhs, rhs);
    op = Swapped(op);
    lhs.constant = 0;
    rhs.constant = sum.constant;
  } else if (rhs.terms.empty() || sum.constant < 0) {
    rhs.constant = -sum.constant;
  } else {
    lhs.constant = sum.constant;
  }
  const ConstBound type = ConstBound::OfType(dtype);
  if (!type.Contains(lhs.constant) || !type.Contains(rhs.constant)) return nullptr;
  return ir::MakeBinary(op, context.Print(lhs, dtype), context.Print(rhs, dtype));
}

}  // namespace

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
  Comparison now{terms.Recombine(Combine(left, 1, right, -1)), op};
  Linear& d = now.sum;
  if (!d.known || d.terms.empty()) return expr;
  const size_t before =
      left.terms.size() + right.terms.size() + (left.constant != 0) + (right.constant != 0);
  bool changed = d.terms.size() + (d.constant != 0) < before;
  for (const int64_t g : FactorsOf(d)) {
    std::optional<Divided> divided = DivideOut(now, g, *this);
    if (!divided) continue;
    if (divided->truth) return ir::Bool(*divided->truth);
    now = std::move(divided->comparison);
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
  if (now.op != op) {
    // Return to the original operator: p < 0 as p + 1 <= 0, p >= 0 as p + 1 > 0.
    now = {AddConstant(std::move(d), 1), op};
  }
  const Expr result = Arranged(now, dtype, *this);
  if (!result) return expr;
  if (const std::optional<bool> truth = Decide(result, kQuickProof)) return ir::Bool(*truth);
  return depth < kMaxRuleDepth ? ApplyRules(result, depth + 1) : result;
}

}  // namespace lathe::arith::internal
