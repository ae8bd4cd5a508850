// Rewrite rules as data: `before --> after if condition`, over pattern variables. Internal to
// arith/.
//
// A rule's three parts are ordinary expressions over the variables of `rule`:
//   x, y, z, s, t  match any expression of the rule's domain
//   c0, c1         match integer constants (broadcast ones included)
//   p, q           match any condition
//   lanes          stands for the number of lanes of what was matched
// A variable that occurs twice matches equal expressions. Operands of commutative operators match
// in either order. What is built of constants alone must fold to a constant, else the rule does not
// apply. A condition holds where its parts fold to true or are proved.
//
// Tests check every rule exhaustively over small operands, in every type its domain allows.
#pragma once

#include <vector>

#include "ir/expr.h"

namespace lathe::arith::internal {

// The types a rule is right for.
enum class Domain : uint8_t {
  kIndex,    // int32 and int64, which do not overflow
  kInteger,  // all integers: right when arithmetic wraps
  kAny,      // floats too, NaN included
};

struct Rule {
  Domain domain;
  ir::Expr before, after, condition;  // condition may be null
};

namespace rule {

// An expression of a rule. Operators build nodes as they stand; nothing is folded.
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
// Lanes that ramps and broadcasts have in the rules themselves; matching ignores it.
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

// All of them, as written.
const std::vector<Rule>& AllRules();
// Those whose `before` has this root, with operands of commutative operators in every order.
const std::vector<Rule>& RulesFor(ir::NodeKind kind);

}  // namespace lathe::arith::internal
