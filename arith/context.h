// What an Analyzer knows, and the engine that works on it. Internal to arith/.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arith/canonical.h"
#include "arith/const_bound.h"
#include "arith/modular_set.h"
#include "arith/operands.h"
#include "ir/buffer.h"
#include "ir/rewrite.h"

namespace lathe::arith::internal {

// What is known of the values of one class.
struct Facts {
  ConstBound bound;
  ModularSet modular;
};

// How many steps a proof may take: a few while simplifying, more where it was asked for.
inline constexpr int kQuickProof = 24;
inline constexpr int kThoroughProof = 400;
// Which of two values is smaller: asked of every minimum and maximum, most of them undecided.
inline constexpr int kChoiceProof = 8;
// How deep rules may build on the results of rules.
inline constexpr int kMaxRuleDepth = 6;

class Context {
 public:
  TermTable terms;

  // -- Knowledge (knowledge.cc).
  void OpenScope();
  void CloseScope();
  void BindRange(const ir::Var& var, const ir::Range& range);
  void BindValue(const ir::Var& var, const Expr& value);
  // `condition` is true, or false.
  void Assume(const Expr& condition, bool holds = true);
  // linear >= 0.
  void AssumeNonNegative(Linear linear);
  // `id` has these facts too.
  void Learn(Id id, const Facts& facts);

  // -- Facts (facts.cc).
  Facts FactsOf(Id id);
  Facts FactsOf(const Linear& linear);
  ConstBound BoundOf(const Expr& expr) { return FactsOf(terms.IdOf(expr)).bound; }

  // -- Proofs (prove.cc). `effort` is the number of steps allowed.
  bool ProveNonNegative(const Linear& linear, int effort);
  // a >= b, a > b, and so on for index expressions or classes.
  bool ProveGE(const Linear& a, const Linear& b, int effort) {
    return ProveNonNegative(Combine(a, 1, b, -1), effort);
  }
  // The truth of `linear` OP 0; nullopt when unknown.
  std::optional<bool> Decide(NodeKind op, const Linear& linear, int effort);
  // The truth of a condition whose operands are simplified.
  std::optional<bool> Decide(const Expr& condition, int effort);
  // What was assumed of just this condition.
  std::optional<bool> Literal(const Expr& condition);
  // Proves `condition`, which need not be simplified.
  bool Prove(const Expr& condition, int effort);

  // -- Simplification (simplify_expr.cc).
  Expr Simplify(const Expr& expr);
  // One node over simplified operands; `depth` counts rules applied to the results of rules.
  Expr Local(const Expr& expr, int depth);
  Expr Make(NodeKind kind, const Expr& a, const Expr& b, int depth) {
    return Local(ir::MakeBinary(kind, a, b), depth);
  }
  // A sum as a simplified expression.
  Expr Print(const Linear& linear, DataType dtype) { return terms.ToExpr(linear, dtype); }

 private:
  struct MemoEntry {
    int64_t epoch;
    Expr result;
  };
  struct SimplifyFrame;

  // knowledge.cc
  void Changed();
  // Drops what Bind said of `var`.
  void Forget(const ir::Var& var, Id id);
  template <class Map, class Key, class Value>
  void SetScoped(Map* map, const Key& key, Value value);
  void AssumeComparison(const Expr& condition, NodeKind op, const Expr& a, const Expr& b);
  // facts.cc
  Facts ComputeFacts(Id id);
  using IdStack = absl::InlinedVector<Id, 16>;
  bool FactDependencies(Id id, IdStack* missing);
  // prove.cc
  struct Effort;
  struct SearchStep;
  bool Search(Linear linear, int depth, Effort* effort);
  bool SearchChoice(const Linear& linear, const Term& term, int depth, Effort* effort,
                    bool* decided);
  // simplify_expr.cc and local_*.cc
  Expr SimplifyOnce(const Expr& expr);
  void StartFrame(SimplifyFrame* frame);
  Expr FinishFrame(SimplifyFrame* frame);
  Expr LocalVariable(const Expr& var);
  void LearnEqual(const ir::Var& var, const Expr& value);
  Expr LocalSum(const Expr& expr, const TermTable::Region& region, const Exprs& leaves, int depth);
  Expr LocalFold(const Expr& expr);
  Expr ReplaceLeaves(const Expr& root, const TermTable::Region& region, const Exprs& leaves);
  Expr LocalLinear(const Expr& expr, const TermTable::Region& region, const Exprs& leaves);
  Expr LocalDivMod(const Expr& expr, const Expr& a, const Expr& b, int depth);
  Expr DivModByConstant(const Expr& expr, const Expr& a, int64_t divisor, int depth);
  Expr DivModBySum(const Expr& expr, const Expr& a, const Expr& b, int depth);
  Expr LocalMinMax(const Expr& expr, const Expr& a, const Expr& b);
  Expr LocalCompare(const Expr& expr, const Expr& a, const Expr& b, int depth);
  Expr LocalCast(const Expr& expr, const Expr& value, int depth);
  Expr LocalVectorCompare(const Expr& expr, const Expr& a, const Expr& b);
  Expr ApplyRules(const Expr& expr, int depth);

  // Ends of scopes undo what happened since, newest first.
  struct ScopeMark {
    size_t undo_size;
    int64_t epoch;
  };
  std::vector<ScopeMark> scopes_;
  std::vector<std::function<void()>> undo_;
  // Each state of knowledge has a number; remembered results name theirs.
  int64_t epoch_ = 0;
  int64_t next_epoch_ = 1;

  std::unordered_map<Id, Facts> learned_;
  int learned_sums_ = 0;  // how many entries of learned_ are sums of several terms
  std::unordered_map<Id, std::vector<Id>> learned_sums_of_;  // these, by atom
  std::unordered_map<Id, bool> literals_;
  std::vector<Linear> inequalities_;                          // each >= 0
  std::unordered_map<Id, std::vector<int>> inequalities_of_;  // by atom, by factor of products
  ir::VarMap values_;

  // Proofs that were tried, by linear form: what came of it, in which state of knowledge.
  struct LinearHash {
    size_t operator()(const Linear& linear) const;
  };
  struct Tried {
    int64_t epoch;
    int effort;
    bool proved;
  };
  std::unordered_map<Linear, Tried, LinearHash> tried_;

  std::vector<std::pair<int64_t, Facts>> facts_memo_;  // by Id: epoch, facts
  NodeMap<MemoEntry> simplified_;
  const ir::Node* outermost_ = nullptr;  // that is being simplified, in calls within each other
  int64_t choices_left_ = -1;            // to be simplified in it; -1: not counted yet
};

// Folds an operation on constants of `dtype` as the program would compute it; null where it has no
// value (division by zero), or the operation is not one of integers.
Expr FoldConstants(NodeKind kind, DataType dtype, int64_t a, int64_t b);
// `value` brought into the integer type by dropping bits.
int64_t WrapInto(int64_t value, DataType dtype);
bool IsComparison(NodeKind kind);
// a OP b as b OP' a; as not (a OP b).
NodeKind Swapped(NodeKind comparison);
NodeKind Negated(NodeKind comparison);

}  // namespace lathe::arith::internal
