// Rewrite rules as data: `before --> after if condition`, over pattern variables. Internal to
// arith/.
//
// A rule's three parts are ordinary expressions over the variables of `rule`:
//   x, y, z, s, t  match any expression of the rule's domain
//   c0, c1         match integer constants (also broadcast ones)
//   p, q           match any condition
//   lanes          is the number of lanes of the matched expression
// A variable that occurs twice matches equal expressions. Operands of commutative operators match
// in either order. An expression that a rule builds from constants only must fold to a constant,
// else the rule does not apply. A condition holds if each of its parts folds to true or is proved.
//
// Tests check every rule exhaustively over small operands, in every type its domain allows.
#pragma once

#include <vector>

#include "ir/expr.h"

namespace lathe::arith::internal {

// The types for which a rule is correct.
enum class Domain : uint8_t {
  kIndex,    // int32 and int64, which do not overflow
  kInteger,  // all integers: correct if arithmetic wraps
  kAny,      // floats too, NaN included
};

struct Rule {
  Domain domain;
  ir::Expr before, after, condition;  // condition may be null
};

namespace rule {

// An expression of a rule. Operators build nodes and fold nothing.
struct P {
  ir::Expr expr;
  P(ir::Expr e) : expr(std::move(e)) {}     // NOLINT(google-explicit-constructor)
  P(ir::Var v) : expr(std::move(v)) {}      // NOLINT(google-explicit-constructor)
  P(int value) : expr(ir::Int(value)) {}    // NOLINT(google-explicit-constructor)
  P(bool value) : expr(ir::Bool(value)) {}  // NOLINT(google-explicit-constructor)
};

inline P Node(ir::NodeKind kind, const P& a, const P& b) {
  return ir::MakeBinary(kind, a.expr, b.expr);
}
#define LATHE_RULE_OPERATOR(op, Kind) \
  inline P operator op(const P& a, const P& b) { return Node(ir::NodeKind::k##Kind, a, b); }
LATHE_RULE_OPERATOR(+, Add)
LATHE_RULE_OPERATOR(-, Sub)
LATHE_RULE_OPERATOR(*, Mul)
LATHE_RULE_OPERATOR(/, FloorDiv)
LATHE_RULE_OPERATOR(%, FloorMod)
LATHE_RULE_OPERATOR(<, LT)
LATHE_RULE_OPERATOR(<=, LE)
LATHE_RULE_OPERATOR(>, GT)
LATHE_RULE_OPERATOR(>=, GE)
LATHE_RULE_OPERATOR(==, EQ)
LATHE_RULE_OPERATOR(!=, NE)
LATHE_RULE_OPERATOR(&&, And)
LATHE_RULE_OPERATOR(||, Or)
#undef LATHE_RULE_OPERATOR
P operator!(const P& a);
inline P min(const P& a, const P& b) { return Node(ir::NodeKind::kMin, a, b); }
inline P max(const P& a, const P& b) { return Node(ir::NodeKind::kMax, a, b); }
inline P truncdiv(const P& a, const P& b) { return Node(ir::NodeKind::kDiv, a, b); }
inline P truncmod(const P& a, const P& b) { return Node(ir::NodeKind::kMod, a, b); }
P select(const P& condition, const P& a, const P& b);
P ramp(const P& base, const P& stride);
P broadcast(const P& value);
// The number of lanes of ramps and broadcasts in the rules themselves. Matching ignores it.
inline constexpr int kPatternLanes = 4;

struct Vars {
  P x, y, z, s, t, c0, c1, p, q, lanes;
};
const Vars& vars();
bool IsConstantVar(const ir::ExprNode* var);
bool IsLanesVar(const ir::ExprNode* var);

}  // namespace rule

// Collects the rules of one domain: `rewrite(before, after, condition)`.
class RuleList {
 public:
  RuleList(Domain domain, std::vector<Rule>* rules) : domain_(domain), rules_(rules) {}
  void operator()(const rule::P& before, const rule::P& after) const {
    rules_->push_back({domain_, before.expr, after.expr, {}});
  }
  void operator()(const rule::P& before, const rule::P& after, const rule::P& condition) const {
    rules_->push_back({domain_, before.expr, after.expr, condition.expr});
  }

 private:
  Domain domain_;
  std::vector<Rule>* rules_;
};

// One function per file rules_*.cc.
void AddArithmeticRules(std::vector<Rule>* rules);
void AddMinMaxRules(std::vector<Rule>* rules);
void AddCompareRules(std::vector<Rule>* rules);
void AddLogicRules(std::vector<Rule>* rules);
void AddSelectRules(std::vector<Rule>* rules);
void AddVectorRules(std::vector<Rule>* rules);

// All rules, as written.
const std::vector<Rule>& AllRules();
// The rules whose `before` has this root, with the operands of commutative operators in every
// order.
const std::vector<Rule>& RulesFor(ir::NodeKind kind);

}  // namespace lathe::arith::internal
