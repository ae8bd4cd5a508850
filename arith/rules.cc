// Collects the tables of rules and applies rules.
#include "arith/rules.h"

#include <array>
#include <optional>

#include "arith/context.h"
#include "arith/operands.h"

namespace lathe::arith::internal {

using ir::As;

namespace rule {

P operator!(const P& a) {
  Ref<ir::Not> node = Make<ir::Not>();
  node->dtype = a.expr->dtype;
  node->a = a.expr;
  return Expr(node);
}

P select(const P& condition, const P& a, const P& b) {
  Ref<ir::Select> node = Make<ir::Select>();
  node->dtype = a.expr->dtype;
  node->condition = condition.expr;
  node->true_value = a.expr;
  node->false_value = b.expr;
  return Expr(node);
}

P ramp(const P& base, const P& stride) {
  return ir::MakeRamp(base.expr, stride.expr, kPatternLanes);
}
P broadcast(const P& value) { return ir::MakeBroadcast(value.expr, kPatternLanes); }

const Vars& vars() {
  static const Vars all{ir::MakeVar("x"),
                        ir::MakeVar("y"),
                        ir::MakeVar("z"),
                        ir::MakeVar("s"),
                        ir::MakeVar("t"),
                        ir::MakeVar("c0"),
                        ir::MakeVar("c1"),
                        ir::MakeVar("p", DataType::Bool()),
                        ir::MakeVar("q", DataType::Bool()),
                        ir::MakeVar("lanes")};
  return all;
}

bool IsConstantVar(const ir::ExprNode* var) {
  return var == vars().c0.expr.get() || var == vars().c1.expr.get();
}
bool IsLanesVar(const ir::ExprNode* var) { return var == vars().lanes.expr.get(); }

}  // namespace rule

namespace {

bool IsCommutative(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
    case NodeKind::kMul:
    case NodeKind::kMin:
    case NodeKind::kMax:
    case NodeKind::kEQ:
    case NodeKind::kNE:
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return true;
    default:
      return false;
  }
}

// All forms of a pattern: the operands of commutative operators in every order, comparisons also
// mirrored. Recurses, because patterns are only a few nodes deep.
std::vector<Expr> Orders(const Expr& pattern) {
  Exprs operands;
  AppendOperands(*pattern, &operands);
  std::vector<Exprs> choices{{}};
  for (const Expr& operand : operands) {
    std::vector<Exprs> longer;
    for (const Expr& order : Orders(operand)) {
      for (Exprs choice : choices) {
        choice.push_back(order);
        longer.push_back(std::move(choice));
      }
    }
    choices = std::move(longer);
  }
  std::vector<Expr> result;
  for (const Exprs& choice : choices) {
    result.push_back(WithOperands(pattern, choice));
    if (choice.size() != 2 || choice[0].same_as(choice[1])) continue;
    if (IsCommutative(pattern->node_kind())) {
      result.push_back(WithOperands(pattern, {choice[1], choice[0]}));
    } else if (IsComparison(pattern->node_kind())) {
      result.push_back(ir::MakeBinary(Swapped(pattern->node_kind()), choice[1], choice[0]));
    }
  }
  return result;
}

// What the variables of a rule stand for in one match. Patterns are small, so matching and building
// recurse.
class Match {
 public:
  Match(Context* context, Domain domain, int depth)
      : context_(context), domain_(domain), depth_(depth) {}

  bool Matches(const Expr& pattern, const Expr& expr) {
    if (const auto* var = As<ir::VarNode>(pattern)) {
      if (var->dtype.is_bool() != expr->dtype.is_bool() && domain_ != Domain::kAny) return false;
      if (var->dtype.is_bool() && !expr->dtype.is_bool()) return false;
      if (rule::IsConstantVar(var) && (ir::AsConstInt(expr) == nullptr || expr->dtype.is_bool())) {
        return false;
      }
      if (!var->dtype.is_bool() && !Admits(expr->dtype)) return false;
      for (const auto& [bound_var, bound] : bound_) {
        if (bound_var != var) continue;
        // Lanes may differ between a scalar and its broadcast constant.
        if (rule::IsConstantVar(var)) return *ir::AsConstInt(bound) == *ir::AsConstInt(expr);
        return bound->dtype == expr->dtype &&
               context_->terms.IdOf(bound) == context_->terms.IdOf(expr);
      }
      bound_.emplace_back(var, expr);
      if (!var->dtype.is_bool() && !expr->dtype.is_bool()) number_ = expr->dtype.element_of();
      if (expr->dtype.lanes() > lanes_) lanes_ = expr->dtype.lanes();
      return true;
    }
    if (const auto* imm = As<ir::IntImm>(pattern)) {
      const int64_t* value = ir::AsConstInt(expr);
      return value != nullptr && imm->value == *value &&
             imm->dtype.is_bool() == expr->dtype.is_bool();
    }
    if (pattern->node_kind() != expr->node_kind()) return false;
    if (expr->dtype.is_scalable()) return false;
    if (expr->dtype.lanes() > lanes_) lanes_ = expr->dtype.lanes();
    if (const ir::Operands sides = ir::BinaryOperands(pattern.get())) {
      const ir::Operands actual = ir::BinaryOperands(expr.get());
      return Matches(*sides.a, *actual.a) && Matches(*sides.b, *actual.b);
    }
    Exprs parts, actual;
    AppendOperands(*pattern, &parts);
    AppendOperands(*expr, &actual);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!Matches(parts[i], actual[i])) return false;
    }
    return true;
  }

  bool Holds(const Expr& condition) {
    for (const Expr& part : ir::SplitConjunction(condition)) {
      const Expr built = Build(part, 1);
      if (!built || context_->Decide(built, kQuickProof) != true) return false;
    }
    return true;
  }

  // Builds an expression of `lanes` lanes. Null if constants do not fold.
  Expr Build(const Expr& pattern, int lanes) {
    if (rule::IsLanesVar(pattern.get())) return Literal(lanes_, lanes);
    if (As<ir::VarNode>(pattern) != nullptr) {
      for (const auto& [var, bound] : bound_) {
        if (var != pattern.get()) continue;
        if (!rule::IsConstantVar(var)) return bound;
        return Literal(*ir::AsConstInt(bound), lanes);
      }
      return {};
    }
    if (const auto* imm = As<ir::IntImm>(pattern)) {
      return imm->dtype.is_bool() ? ir::Bool(imm->value != 0, lanes) : Literal(imm->value, lanes);
    }
    if (As<ir::Ramp>(pattern) != nullptr || As<ir::Broadcast>(pattern) != nullptr) {
      Exprs parts;
      AppendOperands(*pattern, &parts);
      for (Expr& part : parts) {
        if (!(part = Build(part, 1))) return {};
      }
      return context_->Local(parts.size() == 2 ? ir::MakeRamp(parts[0], parts[1], lanes_)
                                               : ir::MakeBroadcast(parts[0], lanes_),
                             depth_ + 1);
    }
    Exprs parts;
    AppendOperands(*pattern, &parts);
    bool constant = true;
    for (Expr& part : parts) {
      // A scalar condition may choose between vectors.
      if (!(part = Build(part, lanes))) return {};
      constant = constant && ir::AsConstInt(part) != nullptr;
    }
    Expr node;
    if (ir::BinaryOperands(pattern.get())) {
      if (parts[0]->dtype != parts[1]->dtype) return {};
      node = ir::MakeBinary(pattern->node_kind(), parts[0], parts[1]);
    } else if (As<ir::Not>(pattern) != nullptr) {
      node = rule::operator!(parts[0]).expr;
    } else {
      if (parts[1]->dtype != parts[2]->dtype) return {};
      node = ir::MakeSelect(parts[0], parts[1], parts[2]);
    }
    Expr result = context_->Local(node, depth_ + 1);
    if (constant && ir::AsConstInt(result) == nullptr) return {};
    return result;
  }

  int lanes() const { return lanes_; }

 private:
  bool Admits(DataType dtype) const {
    switch (domain_) {
      case Domain::kIndex:
        return IsIndex(dtype.is_scalable() ? DataType() : dtype.element_of());
      case Domain::kInteger:
        return dtype.is_integral();
      case Domain::kAny:
        return true;
    }
    return false;
  }
  Expr Literal(int64_t value, int lanes) const {
    if (!number_.is_integral() && !number_.is_float()) return {};
    if (number_.is_float()) return {};
    if (WrapInto(value, number_) != value) return {};
    return ir::Int(value, number_.with_lanes(lanes));
  }

  Context* context_;
  Domain domain_;
  int depth_;
  std::vector<std::pair<const ir::ExprNode*, Expr>> bound_;
  DataType number_ = DataType::Int(32);
  int lanes_ = 1;
};

}  // namespace

const std::vector<Rule>& AllRules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    AddArithmeticRules(&rules);
    AddMinMaxRules(&rules);
    AddCompareRules(&rules);
    AddLogicRules(&rules);
    AddSelectRules(&rules);
    AddVectorRules(&rules);
    return rules;
  }();
  return all;
}

const std::vector<Rule>& RulesFor(NodeKind kind) {
  static const std::array<std::vector<Rule>, 256> by_kind = [] {
    std::array<std::vector<Rule>, 256> table;
    for (const Rule& rule : AllRules()) {
      for (const Expr& before : Orders(rule.before)) {
        table[static_cast<size_t>(before->node_kind())].push_back(
            {rule.domain, before, rule.after, rule.condition});
      }
    }
    return table;
  }();
  return by_kind[static_cast<size_t>(kind)];
}

Expr Context::ApplyRules(const Expr& expr, int depth) {
  if (depth >= kMaxRuleDepth) return expr;
  for (const Rule& rule : RulesFor(expr->node_kind())) {
    Match match(this, rule.domain, depth);
    if (!match.Matches(rule.before, expr)) continue;
    if (rule.condition && !match.Holds(rule.condition)) continue;
    if (Expr after = match.Build(rule.after, expr->dtype.lanes());
        after && after->dtype == expr->dtype) {
      return after;
    }
  }
  return expr;
}

}  // namespace lathe::arith::internal
