// Proves that a linear form is never negative.
//
// A search like Fourier-Motzkin elimination: it subtracts known inequalities (ranges of variables,
// conditions in scope, definitions of quotients and remainders), scaled so that a term cancels,
// until constant bounds decide the rest. Minima, maxima and selections are split into cases, which
// is exact.
#include <algorithm>

#include "arith/context.h"
#include "arith/int_math.h"
#include "base/poll.h"
#include "ir/intrinsic_names.h"

namespace lathe::arith::internal {

using ir::As;

namespace {
constexpr int kMaxDepth = 6;
constexpr size_t kMaxSearchTerms = 24;
// Only this many of the newest inequalities about an atom are tried.
constexpr size_t kMaxFactsOfAtom = 32;
// The limit of remembered proofs. When it is reached, all are forgotten.
constexpr size_t kMaxTried = 1 << 16;
// The number of forms that a proof may look at, per allowed step.
constexpr int kLooksPerStep = 32;

size_t Oldest(size_t count) { return count > kMaxFactsOfAtom ? count - kMaxFactsOfAtom : 0; }

int64_t Magnitude(int64_t v) { return v < 0 ? -v : v; }
}  // namespace

// The remaining budget of one proof, and the forms that are known to fail. Facts can be subtracted
// in any order, so without `failed` the search would meet the same forms again and again.
struct Context::Effort {
  int steps = 0;
  int looks = 0;  // forms that may still be looked at; those decided at once count too
  std::unordered_map<Linear, int, LinearHash> failed;  // the depth of the failed search
};

size_t Context::LinearHash::operator()(const Linear& linear) const {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ static_cast<uint64_t>(linear.constant);
  const auto mix = [&](int64_t word) {
    hash = (hash ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  for (const Term& term : linear.terms) {
    mix(term.atom);
    mix(term.coeff);
  }
  return hash;
}

bool Context::ProveNonNegative(const Linear& linear, int effort) {
  if (!linear.known) return false;
  const ConstBound bound = FactsOf(linear).bound;
  if (bound.min >= 0) return true;
  if (bound.max < 0 && !bound.is_empty()) return false;
  // The same question comes up many times while nothing new is known. A remembered answer is used
  // only for the same effort, so that results do not depend on earlier questions.
  if (const auto known = tried_.find(linear);
      known != tried_.end() && known->second.epoch == epoch_ && known->second.effort == effort)
    return known->second.proved;
  Effort spent{.steps = effort, .looks = effort * kLooksPerStep, .failed = {}};
  const bool proved = Search(linear, kMaxDepth, &spent);
  if (tried_.size() >= kMaxTried) tried_.clear();
  tried_.insert_or_assign(linear, Tried{epoch_, effort, proved});
  return proved;
}

// `linear` is rest + coeff * choice(a, b). Depending on the choice and the sign of coeff, both
// cases must be proved, or one is enough. `*decided` is false if the term is not a choice.
bool Context::SearchChoice(const Linear& linear, const Term& term, int depth, Effort* effort,
                           bool* decided) {
  const ClassInfo& info = terms.info(term.atom);
  *decided = false;
  if (info.class_kind != ClassKind::kNode) return false;
  bool both;
  size_t first = 0;
  switch (info.kind) {
    case NodeKind::kMin:
      both = term.coeff > 0;
      break;
    case NodeKind::kMax:
      both = term.coeff < 0;
      break;
    case NodeKind::kSelect:
      both = true, first = 1;
      break;
    case NodeKind::kCall:
      if (As<ir::Call>(info.expr)->op != ir::intrinsic::kIfThenElse || info.args.size() != 3)
        return false;
      both = true, first = 1;
      break;
    default:
      return false;
  }
  *decided = true;
  auto with = [&](Id choice) {
    LinearBuilder builder;
    builder.Add(linear);
    builder.AddTerm(term.atom, -term.coeff);
    builder.Add(terms.LinearOf(choice), term.coeff);
    return Search(builder.Take(), depth, effort);
  };
  const Id a = info.args[first], b = info.args[first + 1];
  return both ? with(a) && with(b) : with(a) || with(b);
}

// One step of the search for `linear` >= 0, if bounds neither prove nor refute it: subtracts facts
// that cancel one of its terms.
struct Context::SearchStep {
  enum class Outcome { kProved, kGoOn, kSpent };

  Context& context;
  const Linear& linear;
  int depth;
  Effort* effort;

  bool spent() const { return effort->steps <= 0; }
  // If this is true for a divisor, the divisor is positive, because no divisor is 0.
  bool IsNonNegative(Id id) const { return context.FactsOf(id).bound.min >= 0; }

  // Subtracts the multiple of `fact` >= 0 that cancels the term, if the signs allow it, and
  // searches on.
  bool Subtract(const Term& term, const Linear& fact) const {
    const int64_t f = fact.known ? fact.CoeffOf(term.atom) : 0;
    if (f == 0 || f == INT64_MIN || (f > 0) != (term.coeff > 0)) return false;
    const int64_t g = GcdInt(f, term.coeff);
    return context.Search(Combine(linear, Magnitude(f) / g, fact, -(Magnitude(term.coeff) / g)),
                          depth - 1, effort);
  }

  // Tries all facts about the term itself.
  Outcome Try(const Term& term) const {
    const ClassInfo& info = context.terms.info(term.atom);
    if (const Outcome out = TryInequalities(term, term.atom, nullptr); out != Outcome::kGoOn)
      return out;
    if (info.class_kind == ClassKind::kProduct) {
      return TryQuotientsIn(term, info) ? Outcome::kProved : TryFactorsOf(term, info);
    }
    if (info.class_kind != ClassKind::kNode || !IsIndex(info.dtype) || info.args.size() != 2)
      return Outcome::kGoOn;
    const bool proved =
        (info.kind == NodeKind::kFloorDiv && TryQuotient(term, info)) ||
        (info.kind == NodeKind::kFloorMod && term.coeff < 0 && TryRemainder(term, info));
    return proved ? Outcome::kProved : spent() ? Outcome::kSpent : Outcome::kGoOn;
  }

  // Tries the facts about `atom`. If `atom` is only a factor of the term, `rest` is the product of
  // the other factors, and the facts are multiplied by it.
  Outcome TryInequalities(const Term& term, Id atom, const Linear* rest) const {
    const auto at = context.inequalities_of_.find(atom);
    if (at == context.inequalities_of_.end()) return Outcome::kGoOn;
    for (size_t k = at->second.size(); k-- > Oldest(at->second.size());) {
      const Linear& fact = context.inequalities_[at->second[k]];
      if (Subtract(term, rest == nullptr ? fact : context.terms.Multiply(fact, *rest)))
        return Outcome::kProved;
      if (spent()) return Outcome::kSpent;
    }
    return Outcome::kGoOn;
  }

  // The product of all factors but one.
  Linear Others(const ClassInfo& product, size_t without) const {
    std::vector<Id> others = product.args;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
    return context.terms.LinearOf(context.terms.ProductOf(std::move(others)));
  }

  // m * (x // m) <= x < m * (x // m) + m, for m > 0
  bool TryQuotientsIn(const Term& term, const ClassInfo& product) const {
    for (size_t f = 0; f < product.args.size(); ++f) {
      const ClassInfo& quotient = context.terms.info(product.args[f]);
      if (quotient.class_kind != ClassKind::kNode || quotient.kind != NodeKind::kFloorDiv ||
          !IsIndex(quotient.dtype) || !IsNonNegative(quotient.args[1])) {
        continue;
      }
      const Linear divisor = context.terms.LinearOf(quotient.args[1]);
      if (divisor.constant != 0 || divisor.terms != Others(product, f).terms) continue;
      const Linear below = Combine(context.terms.LinearOf(quotient.args[0]), 1, Of(term.atom), -1);
      if (Subtract(term, below)) return true;
      if (Subtract(term, AddConstant(Combine(divisor, 1, below, -1), -1))) return true;
    }
    return false;
  }

  // Tries the facts about each factor, multiplied by the other factors.
  Outcome TryFactorsOf(const Term& term, const ClassInfo& product) const {
    for (size_t f = 0; f < product.args.size(); ++f) {
      const Id factor = product.args[f];
      if (f > 0 && product.args[f - 1] == factor) continue;
      const Linear rest = Others(product, f);
      if (context.FactsOf(rest).bound.min < 0) continue;
      if (const Outcome out = TryInequalities(term, factor, &rest); out != Outcome::kGoOn)
        return out;
      const ConstBound range = context.FactsOf(factor).bound;
      if (range.has_min() && !range.is_empty() && range.min != 0 && range.min != INT64_MIN) {
        const Linear above = AddConstant(Of(factor), -range.min);
        if (Subtract(term, context.terms.Multiply(above, rest))) return Outcome::kProved;
      }
      if (range.has_max() && !range.is_empty()) {
        const Linear below = AddConstant(Combine(Linear(), 1, Of(factor), -1), range.max);
        if (Subtract(term, context.terms.Multiply(below, rest))) return Outcome::kProved;
      }
      if (spent()) return Outcome::kSpent;
    }
    return Outcome::kGoOn;
  }

  // The term is x // m.
  bool TryQuotient(const Term& term, const ClassInfo& info) const {
    const Linear x = context.terms.LinearOf(info.args[0]), self = Of(term.atom);
    int64_t k;
    if (context.terms.IsConstant(info.args[1], &k) && k > 0) {
      return Subtract(term, Combine(x, 1, self, -k)) ||  // x - k*(x//k) >= 0
             Subtract(term, AddConstant(Combine(self, k, x, -1), k - 1));
    }
    if (!IsNonNegative(info.args[1])) return false;
    // l >= 0 is m * (l + 1) >= 1, because m > 0. This form has m * (x//m), about which more is
    // known.
    const Linear scaled =
        context.terms.Multiply(AddConstant(linear, 1), context.terms.LinearOf(info.args[1]));
    if (scaled.known && context.Search(AddConstant(scaled, -1), depth - 1, effort)) return true;
    // x//m <= x
    return context.FactsOf(x).bound.min >= 0 && Subtract(term, Combine(x, 1, self, -1));
  }

  // The term is x % m.
  bool TryRemainder(const Term& term, const ClassInfo& info) const {
    const Linear x = context.terms.LinearOf(info.args[0]), m = context.terms.LinearOf(info.args[1]);
    if (context.FactsOf(m).bound.min < 0) return false;
    const Linear self = Of(term.atom);
    // x%m < m
    if (!m.is_constant() && Subtract(term, AddConstant(Combine(m, 1, self, -1), -1))) return true;
    // x%m <= x
    return context.FactsOf(x).bound.min >= 0 && Subtract(term, Combine(x, 1, self, -1));
  }

  static Linear Of(Id atom) {
    Linear self;
    self.terms.push_back({atom, 1});
    return self;
  }
};

bool Context::Search(Linear linear, int depth, Effort* effort) {
  Poll();
  if (effort->looks-- <= 0) {
    effort->steps = 0;
    return false;
  }
  if (!linear.known || linear.terms.size() > kMaxSearchTerms) {
    return linear.known && FactsOf(linear).bound.min >= 0;
  }
  linear = terms.Recombine(std::move(linear));
  if (!linear.known) return false;
  int64_t gcd = 0;
  for (const Term& term : linear.terms) {
    if (term.coeff == INT64_MIN) return false;
    gcd = GcdInt(gcd, term.coeff);
  }
  if (gcd > 1) {
    for (Term& term : linear.terms) term.coeff /= gcd;
    linear.constant = FloorDivInt(linear.constant, gcd);
  }
  const ConstBound bound = FactsOf(linear).bound;
  if (bound.min >= 0) return true;
  if (bound.max < 0 || depth == 0 || effort->steps-- <= 0) return false;
  if (const auto met = effort->failed.find(linear);
      met != effort->failed.end() && met->second >= depth)
    return false;
  // Recorded before the search goes on, so that it does not look at this form again inside itself.
  int& failed_at = effort->failed[linear];
  failed_at = std::max(failed_at, depth);

  for (const Term& term : linear.terms) {
    bool decided = false;
    const bool proved = SearchChoice(linear, term, depth, effort, &decided);
    if (decided) return proved;
  }
  // Later atoms first: an atom is built from atoms with smaller numbers.
  const SearchStep step{*this, linear, depth, effort};
  for (size_t i = linear.terms.size(); i-- > 0;) {
    const SearchStep::Outcome outcome = step.Try(linear.terms[i]);
    if (outcome != SearchStep::Outcome::kGoOn) return outcome == SearchStep::Outcome::kProved;
  }
  return false;
}

std::optional<bool> Context::Decide(NodeKind op, const Linear& d, int effort) {
  if (!d.known) return std::nullopt;
  const Linear minus = Combine(Linear(), 1, d, -1);
  auto non_negative = [&](const Linear& l) { return ProveNonNegative(l, effort); };
  auto pick = [](bool yes, auto no) -> std::optional<bool> {
    if (yes) return true;
    if (no()) return false;
    return std::nullopt;
  };
  switch (op) {
    case NodeKind::kGE:
      return pick(non_negative(d), [&] { return non_negative(AddConstant(minus, -1)); });
    case NodeKind::kLT:
      return pick(non_negative(AddConstant(minus, -1)), [&] { return non_negative(d); });
    case NodeKind::kLE:
      return pick(non_negative(minus), [&] { return non_negative(AddConstant(d, -1)); });
    case NodeKind::kGT:
      return pick(non_negative(AddConstant(d, -1)), [&] { return non_negative(minus); });
    case NodeKind::kEQ:
    case NodeKind::kNE: {
      const Facts facts = FactsOf(d);
      std::optional<bool> equal;
      if (facts.bound.is_empty() || facts.bound == ConstBound::Point(0)) {
        equal = true;
      } else if (!facts.bound.Contains(0) || !facts.modular.Contains(0) ||
                 non_negative(AddConstant(d, -1)) || non_negative(AddConstant(minus, -1))) {
        equal = false;
      } else if (non_negative(d) && non_negative(minus)) {
        equal = true;
      }
      if (!equal) return std::nullopt;
      return *equal == (op == NodeKind::kEQ);
    }
    default:
      return std::nullopt;
  }
}

std::optional<bool> Context::Literal(const Expr& condition) {
  if (literals_.empty()) return std::nullopt;
  const auto at = literals_.find(terms.IdOf(condition));
  if (at == literals_.end()) return std::nullopt;
  return at->second;
}

std::optional<bool> Context::Decide(const Expr& condition, int effort) {
  if (const int64_t* value = ir::AsConstInt(condition)) return *value != 0;
  if (const std::optional<bool> said = Literal(condition)) return said;
  if (!IsComparison(condition->node_kind())) return std::nullopt;
  const ir::Operands sides = ir::BinaryOperands(condition.get());
  const Expr &a = *sides.a, &b = *sides.b;
  const NodeKind op = condition->node_kind();
  const Id a_id = terms.IdOf(a), b_id = terms.IdOf(b);
  if (!a->dtype.is_integral() || terms.info(a_id).opaque || terms.info(b_id).opaque) {
    return std::nullopt;
  }
  if (IsIndex(a->dtype)) {
    // Looks for an assumption about the mirror or a negation of the condition.
    if (!literals_.empty()) {
      auto said = [&](NodeKind kind, Id x, Id y) -> std::optional<bool> {
        const Id id = terms.FindBinary(kind, condition->dtype, x, y);
        const auto at = id == kNoId ? literals_.end() : literals_.find(id);
        return at == literals_.end() ? std::nullopt : std::optional<bool>(at->second);
      };
      if (auto v = said(Swapped(op), b_id, a_id)) return v;
      if (auto v = said(Negated(op), a_id, b_id)) return !*v;
      if (auto v = said(Swapped(Negated(op)), b_id, a_id)) return !*v;
    }
    return Decide(op, Combine(terms.LinearOf(a_id), 1, terms.LinearOf(b_id), -1), effort);
  }
  // Narrow, unsigned and vector values are decided by their bounds only, which take wrapping into
  // account.
  if (a_id == b_id) {
    return op == NodeKind::kEQ || op == NodeKind::kLE || op == NodeKind::kGE;
  }
  const Facts x = FactsOf(a_id), y = FactsOf(b_id);
  auto below = [](const ConstBound& p, const ConstBound& q, bool strict) {
    if (!p.has_max() || !q.has_min()) return false;
    return strict ? p.max < q.min : p.max <= q.min;
  };
  switch (op) {
    case NodeKind::kLT:
      if (below(x.bound, y.bound, true)) return true;
      if (below(y.bound, x.bound, false)) return false;
      break;
    case NodeKind::kLE:
      if (below(x.bound, y.bound, false)) return true;
      if (below(y.bound, x.bound, true)) return false;
      break;
    case NodeKind::kGT:
      if (below(y.bound, x.bound, true)) return true;
      if (below(x.bound, y.bound, false)) return false;
      break;
    case NodeKind::kGE:
      if (below(y.bound, x.bound, false)) return true;
      if (below(x.bound, y.bound, true)) return false;
      break;
    default: {
      const bool is_eq = op == NodeKind::kEQ;
      if (below(x.bound, y.bound, true) || below(y.bound, x.bound, true)) return !is_eq;
      bool disjoint = false;
      Intersect(x.modular, y.modular, &disjoint);
      if (disjoint) return !is_eq;
      if (x.bound.is_point() && x.bound == y.bound) return is_eq;
    }
  }
  return std::nullopt;
}

bool Context::Prove(const Expr& root, int effort) {
  if (!root) return true;
  // All parts of a conjunction must hold. A disjunction holds if one side follows when the other is
  // false.
  std::vector<Expr> pending{Simplify(root)};
  while (!pending.empty()) {
    const Expr condition = std::move(pending.back());
    pending.pop_back();
    if (const auto* call = As<ir::Call>(condition);
        call != nullptr && call->op == ir::intrinsic::kLikely) {
      pending.push_back(call->arg(0));
      continue;
    }
    if (const auto* both = As<ir::And>(condition)) {
      pending.push_back(both->b);
      pending.push_back(both->a);
      continue;
    }
    if (const auto* broadcast = As<ir::Broadcast>(condition)) {
      pending.push_back(broadcast->value);
      continue;
    }
    if (const auto* either = As<ir::Or>(condition); either != nullptr) {
      if (Decide(either->a, effort) == true || Decide(either->b, effort) == true) continue;
      if (!condition->dtype.is_scalar()) return false;
      OpenScope();
      Assume(either->a, false);
      const Expr other = Simplify(either->b);
      const bool proved = Decide(other, effort) == true;
      CloseScope();
      if (!proved) return false;
      continue;
    }
    if (Decide(condition, effort) != true) return false;
  }
  return true;
}

}  // namespace lathe::arith::internal
