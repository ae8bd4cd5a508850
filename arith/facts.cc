// Computes constant bounds and modular sets of classes.
#include <algorithm>

#include "arith/context.h"
#include "arith/int_math.h"
#include "ir/intrinsic_names.h"

namespace lathe::arith::internal {

using ir::As;

namespace {

// Makes the bound and the modular set agree: each end moves to a member of the set, and a bound
// with a single value makes the set that value.
Facts Tighten(Facts facts) {
  ConstBound& bound = facts.bound;
  if (bound.is_empty()) return facts;
  const ModularSet m = facts.modular;
  if (m.coeff == 0) {
    bound = Intersect(bound, ConstBound::Point(m.base));
  } else if (m.coeff > 1) {
    if (bound.has_min()) {
      const int64_t step = FloorModInt(m.base - FloorModInt(bound.min, m.coeff), m.coeff);
      bound.min = CheckedAdd(bound.min, step).value_or(ConstBound::kPosInf);
    }
    if (bound.has_max()) {
      const int64_t step = FloorModInt(FloorModInt(bound.max, m.coeff) - m.base, m.coeff);
      bound.max = CheckedSub(bound.max, step).value_or(ConstBound::kNegInf);
    }
    if (bound.is_empty()) bound = ConstBound::Nothing();
  }
  if (bound.is_point()) facts.modular = ModularSet::Point(bound.min);
  return facts;
}

Facts Both(Facts a, const Facts& b) {
  bool contradiction = false;
  a.modular = Intersect(a.modular, b.modular, &contradiction);
  a.bound = contradiction ? ConstBound::Nothing() : Intersect(a.bound, b.bound);
  return a;
}

}  // namespace

Facts Context::FactsOf(const Linear& linear) {
  if (!linear.known) return {};
  Facts facts{ConstBound::Point(linear.constant), ModularSet::Point(linear.constant)};
  if (linear.constant == ConstBound::kNegInf || linear.constant == ConstBound::kPosInf) return {};
  for (const Term& term : linear.terms) {
    const Facts part = FactsOf(term.atom);
    facts.bound = facts.bound + part.bound * ConstBound::Point(term.coeff);
    facts.modular = facts.modular + part.modular * ModularSet::Point(term.coeff);
  }
  if (learned_sums_ > 0 && linear.terms.size() > 1) {
    // Facts that were learned about this sum, up to its constant and a factor.
    int64_t gcd = 0;
    for (const Term& term : linear.terms) gcd = GcdInt(gcd, term.coeff);
    if (gcd > 0) {
      if (linear.terms[0].coeff < 0) gcd = -gcd;
      Linear body = linear;
      body.constant = 0;
      for (Term& term : body.terms) term.coeff /= gcd;
      const Id id = terms.FindSum(body, DataType::Int(64));
      const auto at = id == kNoId ? learned_.end() : learned_.find(id);
      if (at != learned_.end()) {
        const ConstBound said =
            at->second.bound * ConstBound::Point(gcd) + ConstBound::Point(linear.constant);
        facts = Both(facts, {said, at->second.modular * ModularSet::Point(gcd) +
                                       ModularSet::Point(linear.constant)});
      }
    }
  }
  return Tighten(facts);
}

bool Context::FactDependencies(Id id, IdStack* missing) {
  bool complete = true;
  auto need = [&](Id dependency) {
    if (static_cast<size_t>(dependency) >= facts_memo_.size() ||
        facts_memo_[dependency].first != epoch_) {
      missing->push_back(dependency);
      complete = false;
    }
  };
  const ClassInfo& info = terms.info(id);
  if (info.class_kind == ClassKind::kSum) {
    for (const Term& term : info.linear.terms) need(term.atom);
  } else if (info.class_kind == ClassKind::kProduct || info.dtype.is_integral()) {
    for (Id arg : info.args) need(arg);
  }
  return complete;
}

Facts Context::FactsOf(Id root) {
  if (static_cast<size_t>(root) < facts_memo_.size() && facts_memo_[root].first == epoch_) {
    return facts_memo_[root].second;
  }
  IdStack stack{root};
  while (!stack.empty()) {
    const Id id = stack.back();
    if (!FactDependencies(id, &stack)) continue;
    stack.pop_back();
    Facts facts = ComputeFacts(id);
    if (const auto at = learned_.find(id); at != learned_.end()) facts = Both(facts, at->second);
    if (facts_memo_.size() < terms.size()) facts_memo_.resize(terms.size() + 64, {-1, {}});
    facts_memo_[id] = {epoch_, Tighten(facts)};
  }
  return facts_memo_[root].second;
}

Facts Context::FactsOfProduct(const ClassInfo& info) {
  Facts facts{ConstBound::Point(1), ModularSet::Point(1)};
  for (size_t i = 0; i < info.args.size();) {
    size_t next = i;
    while (next < info.args.size() && info.args[next] == info.args[i]) ++next;
    const Facts factor = FactsOf(info.args[i]);
    ConstBound power = ConstBound::Point(1);
    for (size_t k = i; k < next; ++k) {
      power = power * factor.bound;
      facts.modular = facts.modular * factor.modular;
    }
    // An even power is >= 0.
    if ((next - i) % 2 == 0) power.min = std::max<int64_t>(power.min, 0);
    facts.bound = facts.bound * power;
    i = next;
  }
  return facts;
}

Facts Context::ComputeFacts(Id id) {
  const ClassInfo& info = terms.info(id);
  const DataType dtype = info.dtype;
  const ConstBound type = ConstBound::OfType(dtype);
  // For types that do not overflow: a value outside the type is an error of the program.
  auto exact = [&](Facts facts) {
    const ConstBound cut = Intersect(facts.bound, type);
    facts.bound = cut.is_empty() && !facts.bound.is_empty() ? type : cut;
    return facts;
  };
  if (info.class_kind == ClassKind::kSum) return exact(FactsOf(info.linear));
  if (info.class_kind == ClassKind::kProduct) return FactsOfProduct(info);
  if (info.dtype.is_bool()) return {{0, 1}, {}};
  if (!dtype.is_integral() || dtype.is_scalable()) return {type, {}};
  const bool index = dtype.is_int() && (dtype.bits() == 32 || dtype.bits() == 64);
  // A result that may have wrapped can be any value of the type.
  auto computed = [&](Facts facts) -> Facts {
    if (index) return exact(facts);
    if (dtype.is_uint() && dtype.bits() >= 63 && !facts.bound.has_max()) return {type, {}};
    const ConstBound fitted = FitInto(facts.bound, dtype);
    return fitted == facts.bound ? facts : Facts{fitted, {}};
  };
  auto arg = [&](size_t i) { return FactsOf(info.args[i]); };
  auto numeric_args = [&] {
    return std::all_of(info.args.begin(), info.args.end(), [&](Id a) {
      const DataType t = terms.info(a).dtype;
      return t.is_integral() || t.is_bool();
    });
  };
  const bool binary = info.args.size() == 2 && numeric_args();
  switch (info.kind) {
    case NodeKind::kIntImm: {
      const int64_t value = As<ir::IntImm>(info.expr)->value;
      if (dtype.is_uint() && value < 0) return {type, {}};  // above int64 max
      return {ConstBound::Point(value), ModularSet::Point(value)};
    }
    case NodeKind::kVarNode: {
      ConstBound bound = type;
      if (As<ir::VarNode>(info.expr)->is_size) bound.min = std::max<int64_t>(bound.min, 0);
      return {bound, {}};
    }
    case NodeKind::kCast: {
      if (!numeric_args()) return {type, {}};
      const Facts value = arg(0);
      const ConstBound fitted = FitInto(value.bound, dtype);
      return fitted == value.bound ? value : Facts{fitted, {}};
    }
    case NodeKind::kAdd:
      if (!binary) break;
      return computed({arg(0).bound + arg(1).bound, arg(0).modular + arg(1).modular});
    case NodeKind::kSub:
      if (!binary) break;
      return computed({arg(0).bound - arg(1).bound, arg(0).modular - arg(1).modular});
    case NodeKind::kMul:
      if (!binary) break;
      return computed({arg(0).bound * arg(1).bound, arg(0).modular * arg(1).modular});
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod: {
      if (!binary) break;
      const Facts a = arg(0), b = arg(1);
      const bool div = info.kind == NodeKind::kFloorDiv;
      Facts facts{div ? FloorDivOf(a.bound, b.bound) : FloorModOf(a.bound, b.bound), {}};
      if (b.modular.coeff == 0 && b.modular.base > 0) {
        facts.modular =
            div ? FloorDivOf(a.modular, b.modular.base) : FloorModOf(a.modular, b.modular.base);
      }
      return computed(facts);
    }
    case NodeKind::kDiv:
      if (!binary) break;
      return computed({TruncDivOf(arg(0).bound, arg(1).bound), {}});
    case NodeKind::kMod:
      if (!binary) break;
      return computed({TruncModOf(arg(0).bound, arg(1).bound), {}});
    case NodeKind::kMin:
      if (!binary) break;
      return {MinOf(arg(0).bound, arg(1).bound), arith::Union(arg(0).modular, arg(1).modular)};
    case NodeKind::kMax:
      if (!binary) break;
      return {MaxOf(arg(0).bound, arg(1).bound), arith::Union(arg(0).modular, arg(1).modular)};
    case NodeKind::kSelect:
      return {arith::Union(arg(1).bound, arg(2).bound),
              arith::Union(arg(1).modular, arg(2).modular)};
    case NodeKind::kBroadcast:
      return arg(0);
    case NodeKind::kRamp: {
      const Facts base = arg(0), stride = arg(1);
      const ConstBound step{0, dtype.lanes() - 1};
      return computed({base.bound + stride.bound * step,
                       base.modular + stride.modular * ModularSet::Everything()});
    }
    case NodeKind::kShuffle: {
      Facts facts{ConstBound::Nothing(), ModularSet::Point(0)};
      for (size_t i = 0; i < info.args.size(); ++i) {
        facts.bound = arith::Union(facts.bound, arg(i).bound);
        facts.modular = i == 0 ? arg(i).modular : arith::Union(facts.modular, arg(i).modular);
      }
      return facts;
    }
    case NodeKind::kCall: {
      const std::string& op = As<ir::Call>(info.expr)->op;
      if (op == ir::intrinsic::kIfThenElse && info.args.size() == 3 && numeric_args()) {
        return {arith::Union(arg(1).bound, arg(2).bound),
                arith::Union(arg(1).modular, arg(2).modular)};
      }
      if (!binary) break;
      if (op == ir::intrinsic::kBitwiseAnd)
        return computed({BitAndOf(arg(0).bound, arg(1).bound), {}});
      if (op == ir::intrinsic::kShiftRight)
        return computed({ShiftRightOf(arg(0).bound, arg(1).bound), {}});
      if (op == ir::intrinsic::kShiftLeft) {
        // A shift drops bits. It is a product only if no bit is dropped.
        const ConstBound shifted = ShiftLeftOf(arg(0).bound, arg(1).bound);
        return {FitInto(shifted, dtype), {}};
      }
      break;
    }
    default:
      break;
  }
  return {type, {}};
}

}  // namespace lathe::arith::internal
