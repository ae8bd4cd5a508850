// The knowledge of an Analyzer, and the engine that uses it. Internal to arith/.
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

// What is known about the values of one class.
struct Facts {
  ConstBound bound;
  ModularSet modular;
};

// The number of steps that a proof may take: few during simplification, more if the caller asked
// for the proof.
inline constexpr int kQuickProof = 24;
inline constexpr int kThoroughProof = 400;
// Steps to decide which operand of a minimum or maximum is smaller. Every one is tried and most
// stay undecided, so this is small.
inline constexpr int kChoiceProof = 8;
// How often rules may be applied to the results of rules.
inline constexpr int kMaxRuleDepth = 6;

class Context {
 public:
  TermTable terms;

  // -- Knowledge (knowledge.cc).
  void OpenScope();
  void CloseScope();
  void BindRange(const ir::Var& var, const ir::Range& range);
  void BindValue(const ir::Var& var, const Expr& value);
  // `condition` is true if `holds`, else false.
  void Assume(const Expr& condition, bool holds = true);
  // linear >= 0.
  void AssumeNonNegative(Linear linear);
  // The values of class `id` also have these facts.
  void Learn(Id id, const Facts& facts);

  // -- Facts (facts.cc).
  Facts FactsOf(Id id);
  Facts FactsOf(const Linear& linear);
  ConstBound BoundOf(const Expr& expr) { return FactsOf(terms.IdOf(expr)).bound; }

  // -- Proofs (prove.cc). `effort` is the number of steps allowed.
  bool ProveNonNegative(const Linear& linear, int effort);
  // Proves a >= b.
  bool ProveGE(const Linear& a, const Linear& b, int effort) {
    return ProveNonNegative(Combine(a, 1, b, -1), effort);
  }
  // The truth of `linear` OP 0; nullopt if unknown.
  std::optional<bool> Decide(NodeKind op, const Linear& linear, int effort);
  // The truth of a condition whose operands are simplified.
  std::optional<bool> Decide(const Expr& condition, int effort);
  // The truth that was assumed for exactly this condition.
  std::optional<bool> Literal(const Expr& condition);
  // Proves `condition`, which need not be simplified.
  bool Prove(const Expr& condition, int effort);

  // -- Simplification (simplify_expr.cc).
  Expr Simplify(const Expr& expr);
  // Simplifies one node whose operands are simplified. `depth` counts rules applied to the results
  // of rules.
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
  // Forgets what Bind said about `var`.
  void Forget(const ir::Var& var, Id id);
  template <class Map, class Key, class Value>
  void SetScoped(Map* map, const Key& key, Value value);
  void AssumeComparison(const Expr& condition, NodeKind op, const Expr& a, const Expr& b);
  // facts.cc
  Facts ComputeFacts(Id id);
  Facts FactsOfProduct(const ClassInfo& info);
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
  Expr Remembered(const Expr& expr);
  bool MayChoose();
  Expr PushFrame(const Expr& expr, std::vector<SimplifyFrame>* stack);
  void TakeResult(SimplifyFrame* frame, Expr result);
  void OpenReduction(SimplifyFrame* frame);
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

  // The end of a scope undoes all changes since it began, newest first.
  struct ScopeMark {
    size_t undo_size;
    int64_t epoch;
  };
  std::vector<ScopeMark> scopes_;
  std::vector<std::function<void()>> undo_;
  // Each state of knowledge has a number. A remembered result holds the number of its state.
  int64_t epoch_ = 0;
  int64_t next_epoch_ = 1;

  std::unordered_map<Id, Facts> learned_;
  int learned_sums_ = 0;  // how many entries of learned_ are sums of several terms
  std::unordered_map<Id, std::vector<Id>> learned_sums_of_;  // those sums, by atom
  std::unordered_map<Id, bool> literals_;
  std::vector<Linear> inequalities_;                          // each sum is >= 0
  std::unordered_map<Id, std::vector<int>> inequalities_of_;  // by atom and by factor of products
  ir::VarMap values_;

  // Proofs that were tried, by linear form: the result, the effort and the state of knowledge.
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
  const ir::Node* outermost_ = nullptr;  // argument of the outermost running Simplify; null: none
  int64_t choices_left_ = -1;            // simplifications of choices it may still do; -1: not set
};

// Computes an operation on constants of `dtype` as the program would. Null if it has no value
// (division by zero), if a signed result overflows, or if it is not an operation on integers.
Expr FoldConstants(NodeKind kind, DataType dtype, int64_t a, int64_t b);
// `value` truncated to the bits of the integer type.
int64_t WrapInto(int64_t value, DataType dtype);
bool IsComparison(NodeKind kind);
// Swapped: the OP' for which b OP' a equals a OP b. Negated: the OP' for which a OP' b equals not
// (a OP b).
NodeKind Swapped(NodeKind comparison);
NodeKind Negated(NodeKind comparison);

}  // namespace lathe::arith::internal
