// Integer analysis.
#include <memory>
#include <string>
#include <vector>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "arith/region.h"
#include "base/error.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"

namespace lathe::python {
namespace {

using ir::Expr;
using runtime::Value;

// An analyzer, and the scopes that Python entered, innermost last.
struct HeldAnalyzer {
  std::unique_ptr<arith::Analyzer> analyzer = std::make_unique<arith::Analyzer>();
  std::vector<arith::Analyzer::Scope> scopes;
  HeldAnalyzer() = default;
  HeldAnalyzer(HeldAnalyzer&&) = default;
  ~HeldAnalyzer() {
    while (!scopes.empty()) scopes.pop_back();  // the innermost ends first
  }
};
using AnalyzerRef = Ref<Box<HeldAnalyzer, kAnalyzerBox>>;

arith::Analyzer& Of(const AnalyzerRef& a) { return *a->item.analyzer; }

Expr ExprOrThrow(const ir::NodeRef& node) {
  if (Expr expr = ir::RefExpr(node)) return expr;
  throw Error(Diagnostic{.name = "arith-operand-type",
                         .message = "an analyzer takes expressions and ranges",
                         .found = ir::NodeKindName(node->node_kind())});
}

Value Ends(const arith::IntSet& set) {
  std::vector<Value> ends;
  if (set.nothing) return ends;
  ends.emplace_back(set.min);
  ends.emplace_back(set.max);
  return ends;
}

// [[var, range]...]
arith::DomMap Domains(const std::vector<Value>& pairs) {
  arith::DomMap domains;
  for (const Value& item : pairs) {
    const auto pair = item.As<std::vector<Value>>();
    domains[pair.at(0).As<ir::Var>()] = arith::IntSet::FromRange(pair.at(1).As<ir::Range>());
  }
  return domains;
}

}  // namespace

void RegisterArith() {
  Def("arith.analyzer", [] { return AnalyzerRef(Make<Box<HeldAnalyzer, kAnalyzerBox>>()); });
  Def("arith.simplify",
      [](const AnalyzerRef& a, const Expr& expr) { return Of(a).Simplify(expr); });
  Def("arith.can_prove",
      [](const AnalyzerRef& a, const Expr& condition) { return Of(a).CanProve(condition); });
  Def("arith.can_prove_equal",
      [](const AnalyzerRef& a, const Expr& x, const Expr& y) { return Of(a).CanProveEqual(x, y); });
  Def("arith.bind", [](const AnalyzerRef& a, const ir::Var& var, const ir::NodeRef& value) {
    if (const auto* range = ir::As<ir::RangeNode>(value)) {
      Of(a).Bind(var, ir::Range(range));
    } else {
      Of(a).Bind(var, ExprOrThrow(value));
    }
  });
  Def("arith.enter", [](const AnalyzerRef& a, const Expr& condition) {
    a->item.scopes.push_back(Of(a).With(condition));
  });
  Def("arith.exit", [](const AnalyzerRef& a) {
    if (!a->item.scopes.empty()) a->item.scopes.pop_back();
  });
  Def("arith.assume", [](const AnalyzerRef& a, const Expr& condition) { Of(a).Assume(condition); });
  // [min, max], with None for an unknown end.
  Def("arith.const_bound", [](const AnalyzerRef& a, const Expr& expr) {
    const arith::ConstBound bound = Of(a).Bound(expr);
    std::vector<Value> ends;
    ends.push_back(bound.min == arith::ConstBound::kNegInf ? Value() : Value(bound.min));
    ends.push_back(bound.max == arith::ConstBound::kPosInf ? Value() : Value(bound.max));
    return ends;
  });
  Def("arith.modular", [](const AnalyzerRef& a, const Expr& expr) {
    const arith::ModularSet set = Of(a).Modular(expr);
    return std::vector<int64_t>{set.coeff, set.base};
  });
  Def("arith.eval_set",
      [](const AnalyzerRef& a, const ir::NodeRef& what, const std::vector<Value>& domains) {
        if (const auto* range = ir::As<ir::RangeNode>(what))
          return Ends(arith::EvalSet(ir::Range(range), Domains(domains), &Of(a)));
        return Ends(arith::EvalSet(ExprOrThrow(what), Domains(domains), &Of(a)));
      });
  Def("arith.deduce_bound", [](const AnalyzerRef& a, const ir::Var& var, const Expr& condition,
                               const std::vector<Value>& relax) {
    return Ends(arith::DeduceBound(var, condition, Domains(relax), &Of(a)));
  });
  // [coefficients..., base]; empty if the expression is not linear.
  Def("arith.detect_linear_equation",
      [](const AnalyzerRef& a, const Expr& expr, const std::vector<ir::Var>& vars) {
        std::vector<Expr> parts;
        if (auto linear = arith::DetectLinear(expr, vars, &Of(a))) {
          parts = linear->coefficients;
          parts.push_back(linear->base);
        }
        return parts;
      });
  Def("arith.detect_clip_bound",
      [](const AnalyzerRef& a, const Expr& condition, const std::vector<ir::Var>& vars) {
        std::vector<Value> ends;
        if (auto sets = arith::DetectClipBounds(condition, vars, &Of(a))) {
          for (const arith::IntSet& set : *sets) ends.push_back(Ends(set));
        }
        return ends;
      });
}

}  // namespace lathe::python
