// Scopes, bindings and assumptions of a Context.
#include <limits>
#include <utility>

#include "arith/context.h"
#include "arith/int_math.h"
#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::arith::internal {

using ir::As;

bool IsComparison(NodeKind kind) { return kind >= NodeKind::kEQ && kind <= NodeKind::kGE; }

NodeKind Swapped(NodeKind comparison) {
  switch (comparison) {
    case NodeKind::kLT:
      return NodeKind::kGT;
    case NodeKind::kLE:
      return NodeKind::kGE;
    case NodeKind::kGT:
      return NodeKind::kLT;
    case NodeKind::kGE:
      return NodeKind::kLE;
    default:
      return comparison;
  }
}

NodeKind Negated(NodeKind comparison) {
  switch (comparison) {
    case NodeKind::kLT:
      return NodeKind::kGE;
    case NodeKind::kLE:
      return NodeKind::kGT;
    case NodeKind::kGT:
      return NodeKind::kLE;
    case NodeKind::kGE:
      return NodeKind::kLT;
    case NodeKind::kEQ:
      return NodeKind::kNE;
    default:
      return NodeKind::kEQ;
  }
}

void Context::OpenScope() { scopes_.push_back({undo_.size(), epoch_}); }

void Context::CloseScope() {
  LATHE_CHECK(!scopes_.empty());
  const ScopeMark mark = scopes_.back();
  scopes_.pop_back();
  while (undo_.size() > mark.undo_size) {
    undo_.back()();
    undo_.pop_back();
  }
  // The knowledge is again what it was before the scope, so results remembered then are valid
  // again.
  epoch_ = mark.epoch;
}

void Context::Changed() { epoch_ = next_epoch_++; }

template <class Map, class Key, class Value>
void Context::SetScoped(Map* map, const Key& key, Value value) {
  auto at = map->find(key);
  if (at == map->end()) {
    if (!scopes_.empty()) undo_.push_back([map, key] { map->erase(key); });
    map->emplace(key, std::move(value));
  } else {
    if (!scopes_.empty()) {
      undo_.push_back([map, key, old = at->second] { map->insert_or_assign(key, old); });
    }
    at->second = std::move(value);
  }
  Changed();
}

void Context::Learn(Id id, const Facts& facts) {
  Facts merged = facts;
  if (const auto at = learned_.find(id); at != learned_.end()) {
    bool contradiction = false;
    merged.bound = arith::Intersect(at->second.bound, facts.bound);
    merged.modular = arith::Intersect(at->second.modular, facts.modular, &contradiction);
    if (contradiction) merged.bound = ConstBound::Nothing();
  } else if (const ClassInfo& info = terms.info(id); info.class_kind == ClassKind::kSum) {
    ++learned_sums_;
    for (const Term& term : info.linear.terms) learned_sums_of_[term.atom].push_back(id);
    if (!scopes_.empty()) {
      undo_.push_back([this, id] {
        --learned_sums_;
        for (const Term& term : terms.info(id).linear.terms) learned_sums_of_[term.atom].pop_back();
      });
    }
  }
  SetScoped(&learned_, id, merged);
}

void Context::AssumeNonNegative(Linear linear) {
  if (!linear.known) return;
  linear = terms.Recombine(std::move(linear));
  if (linear.terms.empty()) return;  // known, or code that is never reached
  // Learns a bound of the sum without its constant. The sum is scaled so that its coefficients have
  // no common divisor and the first one is positive.
  int64_t gcd = 0;
  for (const Term& term : linear.terms) gcd = GcdInt(gcd, term.coeff);
  const bool flip = linear.terms[0].coeff < 0;
  Linear body = linear;
  body.constant = 0;
  for (Term& term : body.terms) term.coeff = (flip ? -(term.coeff / gcd) : term.coeff / gcd);
  const int64_t low = linear.constant == INT64_MIN ? INT64_MAX : -linear.constant;
  // gcd * body >= low, or gcd * body <= -low
  ConstBound bound;
  if (flip) {
    bound.max = FloorDivInt(linear.constant, gcd);
  } else {
    bound.min = -FloorDivInt(-low, gcd);
  }
  const DataType dtype =
      body.terms.size() == 1 ? terms.info(body.terms[0].atom).dtype : DataType::Int(64);
  Learn(terms.IdOf(body, dtype), {bound, {}});
  // For a single atom, proofs use the constant bound. Inequalities that relate several atoms are
  // kept for the search.
  if (linear.terms.size() == 1 &&
      terms.info(linear.terms[0].atom).class_kind != ClassKind::kProduct) {
    return;
  }
  const int index = static_cast<int>(inequalities_.size());
  std::vector<Id> atoms;
  for (const Term& term : linear.terms) atoms.push_back(term.atom);
  for (Id atom : atoms) inequalities_of_[atom].push_back(index);
  inequalities_.push_back(std::move(linear));
  if (!scopes_.empty()) {
    undo_.push_back([this, atoms] {
      for (Id atom : atoms) inequalities_of_[atom].pop_back();
      inequalities_.pop_back();
    });
  }
  Changed();
}

void Context::Forget(const ir::Var& var, Id id) {
  if (values_.count(var) != 0) SetScoped(&values_, var, Expr());
  if (learned_.count(id) != 0) SetScoped(&learned_, id, Facts{});
  if (const auto sums = learned_sums_of_.find(id); sums != learned_sums_of_.end()) {
    for (Id sum : sums->second) SetScoped(&learned_, sum, Facts{});
  }
  const auto at = inequalities_of_.find(id);
  if (at == inequalities_of_.end()) return;
  for (int index : at->second) {
    if (!scopes_.empty()) {
      undo_.push_back([this, index, old = inequalities_[index]] { inequalities_[index] = old; });
    }
    inequalities_[index].known = false;
  }
  Changed();
}

void Context::BindRange(const ir::Var& var, const ir::Range& range) {
  if (!range || !var->dtype.is_integral() || !var->dtype.is_scalar()) return;
  const Id id = terms.IdOf(Expr(var));
  Forget(var, id);
  const Expr min = Simplify(range->min), extent = Simplify(range->extent);
  if (!IsIndex(var->dtype)) {
    const ConstBound low = BoundOf(min), count = BoundOf(extent);
    const ConstBound last = low + count - ConstBound::Point(1);
    // Unsigned and narrow arithmetic may wrap. Then nothing is learned.
    if (ConstBound::OfType(var->dtype).Contains(last)) Learn(id, {{low.min, last.max}, {}});
    return;
  }
  const Linear low = terms.LinearOf(min), count = terms.LinearOf(extent);
  const Linear self = terms.LinearOf(id);
  const ConstBound last = FactsOf(Combine(low, 1, count, 1)).bound - ConstBound::Point(1);
  Learn(id, {{FactsOf(low).bound.min, last.max}, {}});
  if (!low.is_constant()) AssumeNonNegative(Combine(self, 1, low, -1));
  Linear above = Combine(Combine(low, 1, count, 1), 1, self, -1);
  if (above.known && !(low.is_constant() && count.is_constant())) {
    AssumeNonNegative(AddConstant(std::move(above), -1));
  }
}

void Context::BindValue(const ir::Var& var, const Expr& value) {
  SetScoped(&values_, var, Simplify(value));
}

namespace {

// value OP something with the bound `other`, for narrow and unsigned values.
void Confine(Id value, NodeKind op, const ConstBound& other, Context& context) {
  // No value is below the least or above the greatest one, so such a condition never holds.
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(),
                    kGreatest = std::numeric_limits<int64_t>::max();
  ConstBound bound;
  if (op == NodeKind::kLT && other.max == kLeast) return;
  if (op == NodeKind::kGT && other.min == kGreatest) return;
  if (op == NodeKind::kLT) bound.max = other.has_max() ? other.max - 1 : other.max;
  if (op == NodeKind::kLE) bound.max = other.max;
  if (op == NodeKind::kGT) bound.min = other.has_min() ? other.min + 1 : other.min;
  if (op == NodeKind::kGE) bound.min = other.min;
  if (op == NodeKind::kEQ) bound = other;
  context.Learn(value, {bound, {}});
}

// sum == 0, for a sum whose sign is known already.
void LearnZero(const Linear& sum, Context& context) {
  // If the other terms determine an atom, it has the bounds and residues of their sum.
  for (const Term& term : sum.terms) {
    if (sum.terms.size() == 1 || (term.coeff != 1 && term.coeff != -1)) continue;
    Linear self;
    self.terms.push_back({term.atom, term.coeff});
    context.Learn(term.atom, context.FactsOf(Combine(sum, -term.coeff, self, term.coeff)));
  }
  // x % k == c says which residue x has.
  if (sum.terms.size() != 1 || (sum.terms[0].coeff != 1 && sum.terms[0].coeff != -1)) return;
  const ClassInfo& info = context.terms.info(sum.terms[0].atom);
  int64_t k;
  const int64_t value = sum.terms[0].coeff == 1 ? -sum.constant : sum.constant;
  if (info.class_kind == ClassKind::kNode && info.kind == NodeKind::kFloorMod &&
      context.terms.IsConstant(info.args[1], &k) && k > 0 && value >= 0 && value < k) {
    context.Learn(info.args[0], {{}, ModularSet::Of(k, value)});
  }
}

// d OP 0.
void AssumeSign(NodeKind op, const Linear& d, Context& context) {
  const Linear minus = Combine(Linear(), 1, d, -1);
  switch (op) {
    case NodeKind::kGE:
      context.AssumeNonNegative(d);
      break;
    case NodeKind::kGT:
      context.AssumeNonNegative(AddConstant(d, -1));
      break;
    case NodeKind::kLE:
      context.AssumeNonNegative(minus);
      break;
    case NodeKind::kLT:
      context.AssumeNonNegative(AddConstant(minus, -1));
      break;
    case NodeKind::kEQ:
      context.AssumeNonNegative(d);
      context.AssumeNonNegative(minus);
      LearnZero(d, context);
      break;
    case NodeKind::kNE: {
      // If an end of the range is excluded, the range shrinks by one.
      const ConstBound bound = context.FactsOf(d).bound;
      if (bound.min == 0) context.AssumeNonNegative(AddConstant(d, -1));
      if (bound.max == 0) context.AssumeNonNegative(AddConstant(minus, -1));
      break;
    }
    default:
      break;
  }
}

}  // namespace

void Context::AssumeComparison(const Expr& condition, NodeKind op, const Expr& a, const Expr& b) {
  const Id a_id = terms.IdOf(a), b_id = terms.IdOf(b);
  // From now on this condition, its mirror and its negations are decided.
  const bool holds = condition->node_kind() == op;
  SetScoped(&literals_, terms.IdOf(condition), holds);
  if (!a->dtype.is_integral() || !a->dtype.is_scalar()) return;
  auto literal = [&](NodeKind kind, const Expr& x, const Expr& y, bool truth) {
    const Id id = terms.FindBinary(kind, condition->dtype, terms.IdOf(x), terms.IdOf(y));
    if (id != kNoId) SetScoped(&literals_, id, truth);
  };
  literal(op, a, b, true);
  literal(Swapped(op), b, a, true);
  literal(Negated(op), a, b, false);
  literal(Swapped(Negated(op)), b, a, false);
  if (!IsIndex(a->dtype)) {
    // Narrow and unsigned values: each side is bounded by the constant bounds of the other.
    const ConstBound a_bound = FactsOf(a_id).bound, b_bound = FactsOf(b_id).bound;
    if (a->dtype.is_uint() && a->dtype.bits() >= 63) return;
    Confine(a_id, op, b_bound, *this);
    Confine(b_id, Swapped(op), a_bound, *this);
    return;
  }
  const Linear d = Combine(terms.LinearOf(a_id), 1, terms.LinearOf(b_id), -1);
  if (d.known) AssumeSign(op, d, *this);
}

void Context::Assume(const Expr& root, bool truth) {
  if (!root) return;
  std::vector<std::pair<Expr, bool>> pending{{root, truth}};
  while (!pending.empty()) {
    auto [condition, holds] = std::move(pending.back());
    pending.pop_back();
    if (!condition->dtype.is_bool() || !condition->dtype.is_scalar()) continue;
    if (const auto* both = As<ir::And>(condition); both != nullptr && holds) {
      pending.push_back({both->b, true});
      pending.push_back({both->a, true});
      continue;
    }
    if (const auto* either = As<ir::Or>(condition); either != nullptr && !holds) {
      pending.push_back({either->b, false});
      pending.push_back({either->a, false});
      continue;
    }
    if (const auto* negation = As<ir::Not>(condition)) {
      pending.push_back({negation->a, !holds});
      continue;
    }
    if (const auto* call = As<ir::Call>(condition);
        call != nullptr && call->op == ir::intrinsic::kLikely) {
      pending.push_back({call->arg(0), holds});
      continue;
    }
    // A condition that reads memory or calls an impure function may change.
    if (ir::EffectOf(condition) != ir::CallEffect::kPure) continue;
    const Expr known = Simplify(condition);
    if (!known.same_as(condition) &&
        (As<ir::And>(known) != nullptr || As<ir::Or>(known) != nullptr ||
         As<ir::Not>(known) != nullptr)) {
      pending.push_back({known, holds});
      continue;
    }
    if (ir::AsConstInt(known) != nullptr) {
      // Known already, or a contradiction. Code under a contradiction is never reached, so no
      // knowledge is needed.
      continue;
    }
    for (const Expr& form : {known, condition}) {
      if (IsComparison(form->node_kind())) {
        const ir::Operands sides = ir::BinaryOperands(form.get());
        if ((*sides.a)->dtype.is_integral()) {
          AssumeComparison(form, holds ? form->node_kind() : Negated(form->node_kind()), *sides.a,
                           *sides.b);
          if (known.same_as(condition)) break;
          continue;
        }
      }
      SetScoped(&literals_, terms.IdOf(form), holds);
      if (known.same_as(condition)) break;
    }
  }
}

}  // namespace lathe::arith::internal
