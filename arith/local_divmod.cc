// Simplifies quotients and remainders of index type.
#include <algorithm>

#include "arith/context.h"
#include "arith/int_math.h"
#include "base/planted.h"

namespace lathe::arith::internal {

using ir::As;

Expr Context::LocalDivMod(const Expr& expr, const Expr& a, const Expr& b, int depth) {
  if (!IsIndex(expr->dtype)) return expr;
  const NodeKind kind = expr->node_kind();
  if (kind == NodeKind::kDiv || kind == NodeKind::kMod) {
    // If nothing is negative, truncating division equals floor division.
    if ((BoundOf(a).min < 0 || BoundOf(b).min < 0) && !Planted(PlantedBug::kTruncatingIsFloor))
      return expr;
    return Make(kind == NodeKind::kDiv ? NodeKind::kFloorDiv : NodeKind::kFloorMod, a, b,
                depth + 1);
  }
  int64_t divisor;
  if (terms.IsConstant(terms.IdOf(b), &divisor)) {
    return divisor > 0 ? DivModByConstant(expr, a, divisor, depth) : expr;
  }
  return DivModBySum(expr, a, b, depth);
}

namespace {

// All values of a bound lie in one period of k: the quotient x//k, which is a constant then.
std::optional<int64_t> PeriodOf(const ConstBound& bound, int64_t k) {
  if (!bound.has_min() || !bound.has_max() || bound.is_empty()) return std::nullopt;
  const int64_t low = FloorDivInt(bound.min, k);
  return low == FloorDivInt(bound.max, k) ? std::optional<int64_t>(low) : std::nullopt;
}

// value = k * quotient + rest. For a remainder, the quotient does not matter.
struct Division {
  Linear quotient, rest;
  bool changed = false;  // the quotient or the remainder of `rest` is simpler
};

// Divides term by term. Nothing if a number overflows.
std::optional<Division> DivideTerms(const Linear& value, int64_t k, bool is_div,
                                    const TermTable& terms) {
  Division d;
  for (const Term& term : value.terms) {
    if (term.coeff % k == 0) {
      d.quotient.terms.push_back({term.atom, term.coeff / k});
      d.changed = true;
      continue;
    }
    const ClassInfo& info = terms.info(term.atom);
    int64_t inner;
    if (!is_div && info.class_kind == ClassKind::kNode && info.kind == NodeKind::kFloorMod &&
        IsIndex(info.dtype) && terms.IsConstant(info.args[1], &inner) && inner > 0 &&
        inner % k == 0) {
      // (x % (k*c) + y) % k  -->  (x + y) % k
      d.rest = Combine(d.rest, 1, terms.LinearOf(info.args[0]), term.coeff);
      d.changed = true;
      continue;
    }
    Linear part;
    part.terms.push_back(term);
    if (!is_div && (term.coeff > k || term.coeff < -k)) {
      part.terms[0].coeff = term.coeff % k;
      d.changed = true;
    }
    d.rest = Combine(d.rest, 1, part, 1);
  }
  if (!d.rest.known) return std::nullopt;
  const auto constant = CheckedAdd(d.rest.constant, value.constant);
  if (!constant) return std::nullopt;
  d.quotient.constant = FloorDivInt(*constant, k);
  d.rest.constant = FloorModInt(*constant, k);
  d.changed = d.changed || d.quotient.constant != 0;
  return d;
}

// The factors that coefficients have in common with k, largest first.
std::vector<int64_t> CommonFactors(const Linear& linear, int64_t k) {
  std::vector<int64_t> factors;
  for (const Term& term : linear.terms) {
    const int64_t g = GcdInt(term.coeff, k);
    if (g > 1) factors.push_back(g);
  }
  std::sort(factors.rbegin(), factors.rend());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (factors.size() > 8) factors.resize(8);
  return factors;
}

// x = g * upper + lower, where lower lies in the period `low` of g.
struct Split {
  Linear upper, lower;
  int64_t low;
};

std::optional<Split> SplitBy(const Linear& x, int64_t g, Context& context) {
  Split split{};
  for (const Term& term : x.terms) {
    if (term.coeff % g == 0) {
      split.upper.terms.push_back({term.atom, term.coeff / g});
    } else {
      split.lower.terms.push_back(term);
    }
  }
  split.upper.constant = FloorDivInt(x.constant, g);
  split.lower.constant = FloorModInt(x.constant, g);
  const std::optional<int64_t> low = PeriodOf(context.FactsOf(split.lower).bound, g);
  if (!low) return std::nullopt;
  split.low = *low;
  return split;
}

// The quotient of a single quotient or remainder: (x//c)//k and (x%c)//k. Null if there is nothing
// to simplify.
Expr DivideQuotient(const Linear& rest, int64_t k, DataType dtype, int depth, Context& context) {
  if (rest.terms.size() != 1 || rest.constant != 0 || rest.terms[0].coeff != 1) return nullptr;
  TermTable& terms = context.terms;
  const ClassInfo info = terms.info(rest.terms[0].atom);
  int64_t inner;
  if (info.class_kind != ClassKind::kNode || info.args.size() != 2 || !IsIndex(info.dtype) ||
      !terms.IsConstant(info.args[1], &inner) || inner <= 0) {
    return nullptr;
  }
  const Expr x = terms.ToExpr(info.args[0], dtype);
  const auto period = CheckedMul(inner, k);
  if (info.kind == NodeKind::kFloorDiv && period && ConstBound::OfType(dtype).Contains(*period))
    return context.Make(NodeKind::kFloorDiv, x, ir::Int(*period, dtype), depth + 1);
  if (info.kind == NodeKind::kFloorMod && inner % k == 0) {
    return context.Make(NodeKind::kFloorMod,
                        context.Make(NodeKind::kFloorDiv, x, ir::Int(k, dtype), depth + 1),
                        ir::Int(inner / k, dtype), depth + 1);
  }
  return nullptr;
}

}  // namespace

Expr Context::DivModByConstant(const Expr& expr, const Expr& a, int64_t k, int depth) {
  const bool is_div = expr->node_kind() == NodeKind::kFloorDiv;
  const DataType dtype = expr->dtype;
  if (k == 1) return is_div ? a : ir::Int(0, dtype);
  const Linear value = terms.LinearOf(a);
  if (!value.known) return expr;
  const Facts facts = FactsOf(value);
  if (const auto period = PeriodOf(facts.bound, k)) {
    if (is_div) return ir::Int(*period, dtype);
    if (*period == 0) return a;
    const auto offset = CheckedMul(*period, k);
    if (!offset) return expr;
    return Print(AddConstant(value, -*offset), dtype);
  }
  if (!is_div && facts.modular.coeff % k == 0) {
    return ir::Int(FloorModInt(facts.modular.base, k), dtype);
  }
  if (value.is_constant()) return expr;

  const std::optional<Division> division = DivideTerms(value, k, is_div, terms);
  if (!division) return expr;
  const auto& [quotient, rest, changed] = *division;
  // If the values of the rest lie in one period, its quotient is a constant.
  auto with_rest = [&, &quotient = quotient](const Expr& rest_quotient) {
    return Local(ir::MakeBinary(NodeKind::kAdd, Print(quotient, dtype), rest_quotient), depth + 1);
  };
  if (const auto period = PeriodOf(FactsOf(rest).bound, k); period && changed) {
    if (!is_div) return Print(AddConstant(rest, -*period * k), dtype);
    return Print(AddConstant(quotient, *period), dtype);
  }
  // For a g that divides k: rest//k = upper//(k/g),  rest%k = g * (upper % (k/g)) + lower
  for (const int64_t g : CommonFactors(rest, k)) {
    const std::optional<Split> split = SplitBy(rest, g, *this);
    if (!split) continue;
    const Expr inner = Print(AddConstant(split->upper, split->low), dtype);
    const Expr divided = Make(is_div ? NodeKind::kFloorDiv : NodeKind::kFloorMod, inner,
                              ir::Int(k / g, dtype), depth + 1);
    if (is_div) return with_rest(divided);
    const Expr scaled = Make(NodeKind::kMul, divided, ir::Int(g, dtype), depth + 1);
    const Linear lower = AddConstant(split->lower, -split->low * g);
    return Make(NodeKind::kAdd, scaled, Print(lower, dtype), depth + 1);
  }
  if (is_div) {
    if (const Expr divided = DivideQuotient(rest, k, dtype, depth, *this))
      return with_rest(divided);
  }
  if (!changed) return expr;
  const Expr remaining = Make(expr->node_kind(), Print(rest, dtype), ir::Int(k, dtype), depth + 1);
  return is_div ? with_rest(remaining) : remaining;
}

Expr Context::DivModBySum(const Expr& expr, const Expr& a, const Expr& b, int depth) {
  const bool is_div = expr->node_kind() == NodeKind::kFloorDiv;
  const DataType dtype = expr->dtype;
  const Id b_id = terms.IdOf(b);
  const Linear value = terms.LinearOf(a), divisor = terms.LinearOf(b_id);
  if (!value.known || !divisor.known) return expr;
  // value = divisor * quotient + rest, for divisors of one term
  Linear quotient, rest;
  if (divisor.terms.size() == 1 && divisor.constant == 0) {
    const Term m = divisor.terms[0];
    const ClassInfo& m_info = terms.info(m.atom);
    const std::vector<Id> m_factors =
        m_info.class_kind == ClassKind::kProduct ? m_info.args : std::vector<Id>{m.atom};
    LinearBuilder quotients, rests;
    rests.AddConstant(value.constant);
    for (const Term& term : value.terms) {
      const ClassInfo& info = terms.info(term.atom);
      std::vector<Id> factors =
          info.class_kind == ClassKind::kProduct ? info.args : std::vector<Id>{term.atom};
      bool divides = term.coeff % m.coeff == 0;
      for (Id factor : m_factors) {
        const auto at = std::find(factors.begin(), factors.end(), factor);
        if (at == factors.end()) {
          divides = false;
          break;
        }
        factors.erase(at);
      }
      if (!divides) {
        rests.AddTerm(term.atom, term.coeff);
      } else if (factors.empty()) {
        quotients.AddConstant(term.coeff / m.coeff);
      } else {
        quotients.AddTerm(terms.ProductOf(std::move(factors)), term.coeff / m.coeff);
      }
    }
    quotient = quotients.Take();
    rest = rests.Take();
  } else {
    rest = value;
    // The value is a multiple of the divisor, which is a sum, plus a rest.
    if (!divisor.terms.empty() && !value.terms.empty() &&
        value.CoeffOf(divisor.terms[0].atom) % divisor.terms[0].coeff == 0) {
      const int64_t times = value.CoeffOf(divisor.terms[0].atom) / divisor.terms[0].coeff;
      const Linear left = times == INT64_MIN ? rest : Combine(value, 1, divisor, -times);
      if (left.known && left.terms.size() < value.terms.size()) {
        rest = left;
        quotient.constant = times;
      }
    }
  }
  if (!quotient.known || !rest.known) return expr;
  const bool changed = !quotient.terms.empty() || quotient.constant != 0;
  if (rest.is_constant() && rest.constant == 0) {
    return is_div ? Print(quotient, dtype) : ir::Int(0, dtype);
  }
  // 0 <= rest < divisor
  if (ProveNonNegative(rest, kQuickProof) &&
      ProveNonNegative(AddConstant(Combine(divisor, 1, rest, -1), -1), kQuickProof)) {
    return Print(is_div ? quotient : rest, dtype);
  }
  if (!changed) return expr;
  const Expr remaining = Make(expr->node_kind(), Print(rest, dtype), b, depth + 1);
  if (!is_div) return remaining;
  return Local(ir::MakeBinary(NodeKind::kAdd, Print(quotient, dtype), remaining), depth + 1);
}

}  // namespace lathe::arith::internal
