#include "arith/region.h"

#include <algorithm>

#include "arith/context.h"
#include "arith/int_math.h"
#include "arith/operands.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic_names.h"

namespace lathe::arith {

using internal::IsIndex;
using ir::As;
using ir::NodeKind;

namespace {

// Evaluates expressions in interval arithmetic with symbolic ends.
class SetEvaluator {
 public:
  SetEvaluator(const DomMap& dom, Analyzer* analyzer) : dom_(dom), analyzer_(analyzer) {}

  IntSet Eval(const Expr& root);

 private:
  IntSet Combine(const Expr& expr, const std::vector<IntSet>& sets);
  IntSet Sum(const Expr& expr, const internal::TermTable::Region& region,
             const std::vector<IntSet>& sets);
  IntSet Product(const IntSet& a, const IntSet& b);
  IntSet Quotient(const IntSet& a, const IntSet& b);
  IntSet Remainder(const IntSet& a, const IntSet& b, DataType dtype);

  Expr Simplify(const Expr& e) { return analyzer_->Simplify(e); }
  bool NonNegative(const Expr& e) { return e && analyzer_->CanProveGE(e, 0); }
  bool Positive(const Expr& e) { return e && analyzer_->CanProveGE(e, 1); }

  const DomMap& dom_;
  Analyzer* analyzer_;
  std::unordered_map<Expr, IntSet, RefHash, RefEqual> done_;
};

IntSet Point(const Expr& e) { return IntSet::Point(e); }

bool IsSum(const Expr& expr) {
  return internal::TermTable::IsLinearNode(*expr) && As<ir::Cast>(expr) == nullptr &&
         As<ir::IntImm>(expr) == nullptr;
}

IntSet SetEvaluator::Eval(const Expr& root) {
  struct Frame {
    Expr expr;
    internal::Exprs operands;
    internal::TermTable::Region region;
  };
  std::vector<Frame> stack;
  auto push = [&](const Expr& expr) {
    Frame frame{expr, {}, {}};
    if (IsSum(expr)) {
      frame.region = internal::TermTable::Flatten(expr, /*through_casts=*/false);
      for (const auto& leaf : frame.region.leaves) frame.operands.push_back(leaf.expr);
    } else {
      internal::AppendOperands(*expr, &frame.operands);
    }
    stack.push_back(std::move(frame));
  };
  push(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (done_.count(frame.expr) != 0) {
      stack.pop_back();
      continue;
    }
    std::vector<Expr> missing;
    for (const Expr& operand : frame.operands) {
      if (done_.count(operand) == 0) missing.push_back(operand);
    }
    if (!missing.empty()) {
      for (const Expr& operand : missing) push(operand);
      continue;
    }
    std::vector<IntSet> sets;
    for (const Expr& operand : frame.operands) sets.push_back(done_.at(operand));
    IntSet set =
        IsSum(frame.expr) ? Sum(frame.expr, frame.region, sets) : Combine(frame.expr, sets);
    const Expr expr = frame.expr;
    stack.pop_back();
    done_.emplace(expr, std::move(set));
  }
  return done_.at(root);
}

IntSet SetEvaluator::Sum(const Expr& expr, const internal::TermTable::Region& region,
                         const std::vector<IntSet>& sets) {
  bool all_points = region.known;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].nothing) return IntSet::Nothing();
    all_points = all_points && sets[i].is_point() && sets[i].min.same_as(region.leaves[i].expr);
  }
  if (!region.known) return IntSet::Everything();
  if (all_points) return Point(expr);
  const DataType dtype = expr->dtype;
  Expr low = ir::Int(region.constant, dtype), high = low;
  auto add = [&](const Expr& sum, const Expr& end, int64_t coeff) -> Expr {
    if (!sum || !end) return {};
    return sum + ir::MakeCast(dtype, end) * ir::Int(coeff, dtype);
  };
  const ConstBound type = ConstBound::OfType(dtype);
  if (!type.Contains(region.constant)) return IntSet::Everything();
  for (size_t i = 0; i < sets.size(); ++i) {
    const int64_t coeff = region.leaves[i].coeff;
    if (!type.Contains(coeff)) return IntSet::Everything();
    if (coeff == 0) continue;
    low = add(low, coeff > 0 ? sets[i].min : sets[i].max, coeff);
    high = add(high, coeff > 0 ? sets[i].max : sets[i].min, coeff);
  }
  IntSet result;
  if (low) result.min = Simplify(low);
  if (high) result.max = Simplify(high);
  if (result.min && result.max && analyzer_->CanProveEqual(result.min, result.max)) {
    result.max = result.min;
  }
  return result;
}

IntSet SetEvaluator::Product(const IntSet& a, const IntSet& b) {
  // Solvable only if one factor is a single value. If its sign is unknown, the ends are a minimum
  // and a maximum.
  for (const auto& [factor, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!factor->is_point()) continue;
    const Expr& f = factor->min;
    if (NonNegative(f)) {
      return {other->min ? Simplify(other->min * f) : Expr(),
              other->max ? Simplify(other->max * f) : Expr(), false};
    }
    if (analyzer_->CanProveLT(f, 1)) {
      return {other->max ? Simplify(other->max * f) : Expr(),
              other->min ? Simplify(other->min * f) : Expr(), false};
    }
    if (other->is_bounded()) {
      const Expr x = other->min * f, y = other->max * f;
      return {Simplify(ir::MakeMin(x, y)), Simplify(ir::MakeMax(x, y)), false};
    }
    return IntSet::Everything();
  }
  if (NonNegative(a.min) && NonNegative(b.min)) {
    return {Simplify(a.min * b.min), a.max && b.max ? Simplify(a.max * b.max) : Expr(), false};
  }
  if (!a.is_bounded() || !b.is_bounded()) return IntSet::Everything();
  const Expr p = a.min * b.min, q = a.min * b.max, r = a.max * b.min, s = a.max * b.max;
  return {Simplify(ir::MakeMin(ir::MakeMin(p, q), ir::MakeMin(r, s))),
          Simplify(ir::MakeMax(ir::MakeMax(p, q), ir::MakeMax(r, s))), false};
}

IntSet SetEvaluator::Quotient(const IntSet& a, const IntSet& b) {
  if (!b.is_point()) {
    // Division by a positive number moves a value towards zero.
    if (Positive(b.min)) {
      IntSet result;
      if (NonNegative(a.min)) {
        result.min = b.max ? Simplify(ir::FloorDivide(a.min, b.max)) : ir::Int(0, a.min->dtype);
        if (a.max) result.max = Simplify(ir::FloorDivide(a.max, b.min));
      }
      return result;
    }
    return IntSet::Everything();
  }
  // A divisor is not zero, so it is positive if it is not negative.
  const Expr& d = b.min;
  if (NonNegative(d)) {
    return {a.min ? Simplify(ir::FloorDivide(a.min, d)) : Expr(),
            a.max ? Simplify(ir::FloorDivide(a.max, d)) : Expr(), false};
  }
  if (analyzer_->CanProveLT(d, 1)) {
    return {a.max ? Simplify(ir::FloorDivide(a.max, d)) : Expr(),
            a.min ? Simplify(ir::FloorDivide(a.min, d)) : Expr(), false};
  }
  return IntSet::Everything();
}

IntSet SetEvaluator::Remainder(const IntSet& a, const IntSet& b, DataType dtype) {
  if (!b.max || !NonNegative(b.min)) return IntSet::Everything();
  const Expr zero = ir::Int(0, dtype);
  if (b.is_point() && a.is_bounded()) {
    const Expr& d = b.min;
    const Expr first = Simplify(ir::FloorDivide(a.min, d));
    const Expr last = Simplify(ir::FloorDivide(a.max, d));
    if (analyzer_->CanProveEqual(first, last)) {
      // All values are in one period.
      return {Simplify(a.min - first * d), Simplify(a.max - first * d), false};
    }
  }
  const int less = Planted(PlantedBug::kRemainderEndShort) ? 2 : 1;
  IntSet result{zero, Simplify(b.max - less), false};
  // The remainder of a value that is not negative is no larger than the value.
  if (NonNegative(a.min) && a.max && analyzer_->CanProve(a.max <= result.max)) {
    result.max = a.max;
  }
  return result;
}

IntSet SetEvaluator::Combine(const Expr& expr, const std::vector<IntSet>& sets) {
  if (const auto* var = As<ir::VarNode>(expr)) {
    const auto at = dom_.find(Var(var));
    return at == dom_.end() ? Point(expr) : at->second;
  }
  internal::Exprs operands;
  internal::AppendOperands(*expr, &operands);
  bool unchanged = true;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].nothing) return IntSet::Nothing();
    unchanged = unchanged && sets[i].is_point() && sets[i].min.same_as(operands[i]);
  }
  const DataType dtype = expr->dtype;
  // AppendOperands does not give the operands of Let and Reduce.
  if (expr->node_kind() == NodeKind::kLet || expr->node_kind() == NodeKind::kReduce) {
    return IntSet::Everything();
  }
  if (unchanged) return Point(expr);
  switch (expr->node_kind()) {
    case NodeKind::kCast: {
      // The ends are values of their type. So a cast that keeps all values keeps the interval.
      const DataType from = operands[0]->dtype;
      if (!dtype.is_integral() || !from.is_scalar()) break;
      if (from.is_bool()) return {ir::Int(0, dtype), ir::Int(1, dtype), false};
      if (!from.is_integral()) break;
      const ConstBound target = ConstBound::OfType(dtype);
      auto fits = [&](const Expr& end) { return end && target.Contains(analyzer_->Bound(end)); };
      const bool widens =
          target.Contains(ConstBound::OfType(from)) && (from.bits() < 63 || from == dtype);
      const bool index = IsIndex(dtype) && IsIndex(from) && dtype.bits() >= from.bits();
      if (widens || index || (fits(sets[0].min) && fits(sets[0].max))) {
        return {sets[0].min ? Simplify(ir::MakeCast(dtype, sets[0].min)) : Expr(),
                sets[0].max ? Simplify(ir::MakeCast(dtype, sets[0].max)) : Expr(), false};
      }
      break;
    }
    case NodeKind::kSelect:
      return Union({sets[1], sets[2]}, analyzer_);
    case NodeKind::kCall:
      if (As<ir::Call>(expr)->op == ir::intrinsic::kIfThenElse && sets.size() == 3) {
        return Union({sets[1], sets[2]}, analyzer_);
      }
      if (As<ir::Call>(expr)->op == ir::intrinsic::kLikely && sets.size() == 1) return sets[0];
      break;
    case NodeKind::kMin:
    case NodeKind::kMax: {
      if (!dtype.is_integral() || !dtype.is_scalar()) break;
      const bool is_min = expr->node_kind() == NodeKind::kMin;
      auto pick = [&](const Expr& x, const Expr& y, bool either) -> Expr {
        // min(x, inf) = x; min(x, -inf) = -inf
        if (x && y) return Simplify(is_min ? ir::MakeMin(x, y) : ir::MakeMax(x, y));
        return either ? (x ? x : y) : Expr();
      };
      return {pick(sets[0].min, sets[1].min, !is_min), pick(sets[0].max, sets[1].max, is_min),
              false};
    }
    case NodeKind::kMul:
      if (IsIndex(dtype)) return Product(sets[0], sets[1]);
      break;
    case NodeKind::kFloorDiv:
      if (IsIndex(dtype)) return Quotient(sets[0], sets[1]);
      break;
    case NodeKind::kFloorMod:
      if (IsIndex(dtype)) return Remainder(sets[0], sets[1], dtype);
      break;
    case NodeKind::kDiv:
    case NodeKind::kMod:
      // If nothing is negative, truncating division equals floor division.
      if (IsIndex(dtype) && NonNegative(sets[0].min) && NonNegative(sets[1].min)) {
        return expr->node_kind() == NodeKind::kDiv ? Quotient(sets[0], sets[1])
                                                   : Remainder(sets[0], sets[1], dtype);
      }
      break;
    default:
      break;
  }
  // Loads, calls and all other nodes: every value of the type.
  if (dtype.is_integral() && dtype.is_scalar() && dtype.bits() < 32) {
    const ConstBound all = ConstBound::OfType(dtype);
    return {ir::Int(all.min, dtype), ir::Int(all.max, dtype), false};
  }
  return IntSet::Everything();
}

}  // namespace

IntSet IntSet::FromRange(const Range& range) {
  if (!range) return Everything();
  if (ir::IsOne(range->extent)) return Point(range->min);
  return Interval(range->min, range->min + range->extent - 1);
}

IntSet EvalSet(const Expr& expr, const DomMap& dom, Analyzer* analyzer) {
  return SetEvaluator(dom, analyzer).Eval(analyzer->Simplify(expr));
}

IntSet EvalSet(const Range& range, const DomMap& dom, Analyzer* analyzer) {
  SetEvaluator evaluator(dom, analyzer);
  const IntSet first = evaluator.Eval(analyzer->Simplify(range->min));
  const IntSet last = evaluator.Eval(analyzer->Simplify(range->min + range->extent - 1));
  if (first.nothing || last.nothing) return IntSet::Nothing();
  return {first.min, last.max, false};
}

IntSet Union(const std::vector<IntSet>& sets, Analyzer* analyzer) {
  IntSet result = IntSet::Nothing();
  auto pick = [&](const Expr& a, const Expr& b, bool smaller) -> Expr {
    if (!a || !b) return {};
    if (a.same_as(b)) return a;
    if (analyzer->CanProve(a <= b)) return smaller ? a : b;
    if (analyzer->CanProve(b <= a)) return smaller ? b : a;
    return analyzer->Simplify(smaller ? ir::MakeMin(a, b) : ir::MakeMax(a, b));
  };
  for (const IntSet& set : sets) {
    if (set.nothing) continue;
    if (result.nothing) {
      result = set;
      continue;
    }
    const bool short_end = Planted(PlantedBug::kUnionKeepsFirstEnd);
    result = {pick(result.min, set.min, true),
              short_end ? result.max : pick(result.max, set.max, false), false};
    if (result.is_bounded() && !result.is_point() &&
        analyzer->CanProveEqual(result.min, result.max)) {
      result.max = result.min;
    }
  }
  return result;
}

IntSet Intersect(const IntSet& a, const IntSet& b, Analyzer* analyzer) {
  if (a.nothing || b.nothing) return IntSet::Nothing();
  auto pick = [&](const Expr& x, const Expr& y, bool larger) -> Expr {
    if (!x) return y;
    if (!y || x.same_as(y)) return x;
    if (analyzer->CanProve(x <= y)) return larger ? y : x;
    if (analyzer->CanProve(y <= x)) return larger ? x : y;
    return analyzer->Simplify(larger ? ir::MakeMax(x, y) : ir::MakeMin(x, y));
  };
  IntSet result{pick(a.min, b.min, true), pick(a.max, b.max, false), false};
  if (result.is_bounded() && !result.is_point()) {
    if (analyzer->CanProve(result.min > result.max)) return IntSet::Nothing();
    if (analyzer->CanProveEqual(result.min, result.max)) result.max = result.min;
  }
  return result;
}

bool ProvablyCovers(const IntSet& outer, const IntSet& inner, Analyzer* analyzer) {
  if (inner.nothing) return true;
  if (outer.nothing) return false;
  if (outer.min && !(inner.min && analyzer->CanProve(outer.min <= inner.min))) return false;
  return !outer.max || (inner.max && analyzer->CanProve(inner.max <= outer.max));
}

Range ToRange(const IntSet& set, Analyzer* analyzer) {
  if (set.nothing) return ir::MakeRange(ir::Int(0), ir::Int(0));
  if (!set.is_bounded()) return {};
  if (set.is_point()) return ir::MakeRange(set.min, ir::Int(1, set.min->dtype));
  return ir::MakeRange(set.min, analyzer->Simplify(set.max - set.min + 1));
}

Range CoverRange(const IntSet& set, const Range& fallback, Analyzer* analyzer) {
  if (set.is_bounded() || set.nothing || !fallback) return ToRange(set, analyzer);
  IntSet filled = set;
  if (!filled.min) filled.min = fallback->min;
  if (!filled.max) filled.max = analyzer->Simplify(fallback->min + fallback->extent - 1);
  return ToRange(filled, analyzer);
}

Range EvalRange(const Expr& expr, const DomMap& dom, Analyzer* analyzer) {
  const IntSet set = EvalSet(expr, dom, analyzer);
  return set.is_bounded() ? ToRange(set, analyzer) : Range();
}

}  // namespace lathe::arith
