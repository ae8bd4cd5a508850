#include "arith/linear.h"

#include <algorithm>
#include <unordered_set>

#include "arith/context.h"
#include "arith/int_math.h"
#include "ir/intrinsic_names.h"
#include "ir/walk.h"

namespace lathe::arith {

using internal::Context;
using internal::Id;
using internal::IsIndex;
using internal::Term;
using ir::As;
using ir::NodeKind;

namespace {

// The canonical linear form; `Linear` names the class of another header.
using Sum = internal::Linear;

bool Uses(Context* context, Id atom, const std::unordered_set<const ir::Node*>& vars) {
  const internal::ClassInfo& info = context->terms.info(atom);
  return ir::UsesAnyVar(context->terms.ToExpr(atom, info.dtype), vars);
}

std::unordered_set<const ir::Node*> NodesOf(const std::vector<Var>& vars) {
  std::unordered_set<const ir::Node*> nodes;
  for (const Var& var : vars) nodes.insert(var.get());
  return nodes;
}

// The comparison as conditions `sum >= 0`. Empty if that is not possible (NE, other types).
std::vector<Sum> AsInequalities(const Expr& condition, Context* context) {
  if (!internal::IsComparison(condition->node_kind())) return {};
  const ir::Operands sides = ir::BinaryOperands(condition.get());
  if (!IsIndex((*sides.a)->dtype)) return {};
  const Sum d =
      Combine(context->terms.LinearOf(*sides.a), 1, context->terms.LinearOf(*sides.b), -1);
  const Sum minus = Combine(Sum(), 1, d, -1);
  if (!d.known || !minus.known) return {};
  switch (condition->node_kind()) {
    case NodeKind::kGE:
      return {d};
    case NodeKind::kGT:
      return {AddConstant(d, -1)};
    case NodeKind::kLE:
      return {minus};
    case NodeKind::kLT:
      return {AddConstant(minus, -1)};
    case NodeKind::kEQ:
      return {d, minus};
    default:
      return {};
  }
}

Expr WithoutLikely(Expr condition) {
  while (const auto* call = As<ir::Call>(condition)) {
    if (call->op != ir::intrinsic::kLikely || !call->arg(0)) break;
    condition = call->arg(0);
  }
  return condition;
}

// `sum` as coeff * atom + rest, where only this atom uses any of `vars`. Isolate returns false if
// several atoms do.
struct Isolated {
  Id atom = internal::kNoId;  // kNoId: no atom uses them
  int64_t coeff = 0;
  Sum rest;
};
bool Isolate(const Sum& sum, const std::unordered_set<const ir::Node*>& vars, Context* context,
             Isolated* out) {
  out->rest.constant = sum.constant;
  for (const Term& term : sum.terms) {
    if (!Uses(context, term.atom, vars)) {
      out->rest.terms.push_back(term);
      continue;
    }
    if (out->atom != internal::kNoId) return false;
    out->atom = term.atom;
    out->coeff = term.coeff;
  }
  return out->coeff != INT64_MIN;
}

}  // namespace

std::optional<LinearEquation> DetectLinear(const Expr& expr, const std::vector<Var>& vars,
                                           Analyzer* analyzer) {
  if (!IsIndex(expr->dtype)) return std::nullopt;
  Context* context = analyzer->context();
  const Sum sum = context->terms.LinearOf(analyzer->Simplify(expr));
  if (!sum.known) return std::nullopt;
  const DataType dtype = expr->dtype;
  std::unordered_set<const ir::Node*> nodes = NodesOf(vars);
  std::vector<Sum> coefficients(vars.size());
  std::vector<Id> ids;
  for (const Var& var : vars) ids.push_back(context->terms.IdOf(Expr(var)));
  Sum base;
  base.constant = sum.constant;
  for (const Term& term : sum.terms) {
    const internal::ClassInfo& info = context->terms.info(term.atom);
    std::vector<Id> factors =
        info.class_kind == internal::ClassKind::kProduct ? info.args : std::vector<Id>{term.atom};
    // Finds the one factor that is a variable of `vars`. The others must not use any of `vars`.
    size_t which = vars.size();
    std::vector<Id> others;
    for (Id factor : factors) {
      const auto at = std::find(ids.begin(), ids.end(), factor);
      if (at != ids.end() && which == vars.size()) {
        which = static_cast<size_t>(at - ids.begin());
      } else if (Uses(context, factor, nodes)) {
        return std::nullopt;
      } else {
        others.push_back(factor);
      }
    }
    if (which == vars.size()) {
      base.terms.push_back(term);
    } else if (others.empty()) {
      coefficients[which] = AddConstant(coefficients[which], term.coeff);
    } else {
      Sum part;
      part.terms.push_back({context->terms.ProductOf(std::move(others)), term.coeff});
      coefficients[which] = Combine(coefficients[which], 1, part, 1);
    }
  }
  LinearEquation equation;
  for (const Sum& coefficient : coefficients) {
    equation.coefficients.push_back(analyzer->Simplify(context->Print(coefficient, dtype)));
  }
  equation.base = analyzer->Simplify(context->Print(base, dtype));
  return equation;
}

namespace {

// Solves coeff * x + rest >= 0 for x: an interval with one end.
IntSet Solve(int64_t coeff, const Expr& rest, Analyzer* analyzer) {
  if (coeff > 0) {
    // x >= ceil(-rest / coeff)
    const Expr negated = ir::Int(0, rest->dtype) - rest;
    const Expr low = coeff == 1 ? negated : ir::FloorDivide(negated + (coeff - 1), coeff);
    return IntSet::Interval(analyzer->Simplify(low), Expr());
  }
  const Expr high = coeff == -1 ? rest : ir::FloorDivide(rest, -coeff);
  return IntSet::Interval(Expr(), analyzer->Simplify(high));
}

// If `surely`: the values of `var` for which sum >= 0 for all values of the variables of `relax`;
// Nothing if it cannot be solved. Else: the values for which it may hold for some values of these
// variables; Everything if it cannot be solved.
IntSet SolveSum(const Var& var, const Sum& given, const DomMap& relax, bool surely,
                Analyzer* analyzer) {
  Context* context = analyzer->context();
  const IntSet unknown = surely ? IntSet::Nothing() : IntSet::Everything();
  const std::unordered_set<const ir::Node*> nodes{var.get()};
  const Id var_id = context->terms.IdOf(Expr(var));
  const DataType dtype = var->dtype;
  IntSet result = IntSet::Everything();
  std::vector<Sum> pending{given};
  for (int steps = 0; !pending.empty(); ++steps) {
    if (steps > 64) return unknown;
    const Sum sum = context->terms.Recombine(std::move(pending.back()));
    pending.pop_back();
    Isolated one;
    if (!sum.known || !Isolate(sum, nodes, context, &one)) return unknown;
    const internal::ClassInfo info =
        one.atom == internal::kNoId ? internal::ClassInfo() : context->terms.info(one.atom);
    if (one.atom != internal::kNoId && one.atom != var_id) {
      if (info.class_kind != internal::ClassKind::kNode || info.args.size() != 2) return unknown;
      // A minimum that is added, or a maximum that is subtracted: the condition must hold for both
      // operands.
      if ((info.kind == NodeKind::kMin && one.coeff > 0) ||
          (info.kind == NodeKind::kMax && one.coeff < 0)) {
        for (Id choice : info.args) {
          pending.push_back(Combine(one.rest, 1, context->terms.LinearOf(choice), one.coeff));
        }
        continue;
      }
    }
    // The rest at its worst (if not `surely`, best) value over `relax`.
    const Expr rest_expr = context->Print(one.rest, dtype);
    const IntSet rest_set = EvalSet(rest_expr, relax, analyzer);
    if (rest_set.nothing) return unknown;
    const Expr rest = surely ? rest_set.min : rest_set.max;
    if (!rest) return unknown;
    if (one.atom == internal::kNoId) {
      if (surely ? !analyzer->CanProveGE(rest, 0) : analyzer->CanProveLT(rest, 0)) {
        return IntSet::Nothing();
      }
      continue;
    }
    const IntSet ends = Solve(one.coeff, rest, analyzer);
    if (one.atom == var_id) {
      result = Intersect(result, ends, analyzer);
      if (result.nothing) return result;
      continue;
    }
    int64_t k;
    if (info.kind != NodeKind::kFloorDiv || !context->terms.IsConstant(info.args[1], &k) ||
        k <= 0) {
      return unknown;
    }
    // x//k >= low is x >= low*k;  x//k <= high is x <= high*k + k - 1
    const Sum x = context->terms.LinearOf(info.args[0]);
    if (ends.min) {
      pending.push_back(Combine(x, 1, context->terms.LinearOf(analyzer->Simplify(ends.min)), -k));
    } else {
      const Sum high = context->terms.LinearOf(analyzer->Simplify(ends.max));
      pending.push_back(AddConstant(Combine(high, k, x, -1), k - 1));
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<IntSet>> DetectClipBounds(const Expr& condition,
                                                    const std::vector<Var>& vars,
                                                    Analyzer* analyzer) {
  Context* context = analyzer->context();
  const std::unordered_set<const ir::Node*> nodes = NodesOf(vars);
  std::vector<IntSet> bounds(vars.size(), IntSet::Everything());
  for (Expr part : ir::SplitConjunction(analyzer->Simplify(condition))) {
    part = WithoutLikely(part);
    if (!ir::UsesAnyVar(part, nodes)) continue;
    const std::vector<Sum> sums = AsInequalities(part, context);
    if (sums.empty()) return std::nullopt;
    for (const Sum& sum : sums) {
      Isolated one;
      if (!Isolate(sum, nodes, context, &one)) return std::nullopt;
      if (one.atom == internal::kNoId) continue;
      size_t which = 0;
      while (which < vars.size() && context->terms.IdOf(Expr(vars[which])) != one.atom) ++which;
      if (which == vars.size()) return std::nullopt;
      const Expr rest = context->Print(one.rest, vars[which]->dtype);
      bounds[which] = Intersect(bounds[which], Solve(one.coeff, rest, analyzer), analyzer);
    }
  }
  return bounds;
}

IntSet DeduceBound(const Var& var, const Expr& condition, const DomMap& relax, Analyzer* analyzer) {
  if (!IsIndex(var->dtype)) return IntSet::Nothing();
  IntSet result = IntSet::Everything();
  for (Expr part : ir::SplitConjunction(analyzer->Simplify(WithoutLikely(condition)))) {
    part = WithoutLikely(part);
    if (ir::AsConstInt(part) != nullptr) {
      if (ir::IsZero(part)) return IntSet::Nothing();
      continue;
    }
    const std::vector<Sum> sums = AsInequalities(part, analyzer->context());
    if (sums.empty()) return IntSet::Nothing();
    for (const Sum& sum : sums) {
      result = Intersect(result, SolveSum(var, sum, relax, /*surely=*/true, analyzer), analyzer);
      if (result.nothing) return result;
    }
  }
  return result;
}

DomMap NarrowBy(const Expr& condition, const DomMap& dom, Analyzer* analyzer) {
  DomMap narrowed = dom;
  for (Expr part : ir::SplitConjunction(analyzer->Simplify(condition))) {
    part = WithoutLikely(part);
    for (const Sum& sum : AsInequalities(part, analyzer->context())) {
      for (const Var& var : ir::FreeVars(ir::NodeRef(part))) {
        const auto at = narrowed.find(var);
        if (at == narrowed.end() || !IsIndex(var->dtype)) continue;
        DomMap others = dom;
        others.erase(var);
        const IntSet may = SolveSum(var, sum, others, /*surely=*/false, analyzer);
        at->second = Intersect(at->second, may, analyzer);
      }
    }
  }
  return narrowed;
}

}  // namespace lathe::arith
