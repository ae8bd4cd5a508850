// Simplifies one node whose operands are simplified.
#include <cmath>

#include "arith/context.h"
#include "arith/int_math.h"
#include "arith/operands.h"
#include "arith/rules.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::arith::internal {

using ir::As;

int64_t WrapInto(int64_t value, DataType dtype) {
  if (dtype.is_bool()) return value != 0;
  const int bits = dtype.bits();
  if (bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = static_cast<uint64_t>(value) & mask;
  const bool negative = dtype.is_int() && ((low >> (bits - 1)) & 1) != 0;
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

Expr FoldConstants(NodeKind kind, DataType dtype, int64_t a, int64_t b) {
  if (!dtype.is_integral() && !dtype.is_bool()) return {};
  const bool wide_unsigned = dtype.is_uint() && dtype.bits() == 64;
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  auto less = [&](bool or_equal) {
    if (wide_unsigned) return or_equal ? ua <= ub : ua < ub;
    return or_equal ? a <= b : a < b;
  };
  switch (kind) {
    case NodeKind::kEQ:
      return ir::Bool(a == b);
    case NodeKind::kNE:
      return ir::Bool(a != b);
    case NodeKind::kLT:
      return ir::Bool(less(false));
    case NodeKind::kLE:
      return ir::Bool(less(true));
    case NodeKind::kGT:
      return ir::Bool(!less(true));
    case NodeKind::kGE:
      return ir::Bool(!less(false));
    case NodeKind::kAnd:
      return ir::Bool(a != 0 && b != 0);
    case NodeKind::kOr:
      return ir::Bool(a != 0 || b != 0);
    default:
      break;
  }
  if (dtype.is_bool()) return {};
  const bool is_signed = dtype.is_int();
  std::optional<int64_t> exact;
  switch (kind) {
    case NodeKind::kAdd:
      exact = is_signed ? CheckedAdd(a, b) : static_cast<int64_t>(ua + ub);
      break;
    case NodeKind::kSub:
      exact = is_signed ? CheckedSub(a, b) : static_cast<int64_t>(ua - ub);
      break;
    case NodeKind::kMul:
      exact = is_signed ? CheckedMul(a, b) : static_cast<int64_t>(ua * ub);
      break;
    case NodeKind::kMin:
      exact = less(true) ? a : b;
      break;
    case NodeKind::kMax:
      exact = less(true) ? b : a;
      break;
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
    case NodeKind::kDiv:
    case NodeKind::kMod: {
      if (b == 0 || (is_signed && b == -1 && a == INT64_MIN)) return {};
      const bool is_div = kind == NodeKind::kFloorDiv || kind == NodeKind::kDiv;
      if (wide_unsigned) {
        exact = static_cast<int64_t>(is_div ? ua / ub : ua % ub);
      } else if (kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod) {
        exact = is_div ? FloorDivInt(a, b) : FloorModInt(a, b);
      } else {
        exact = is_div ? a / b : a % b;
      }
      break;
    }
    default:
      return {};
  }
  if (!exact) return {};
  const int64_t wrapped = WrapInto(*exact, dtype);
  // Signed overflow is not folded; it happens when the program runs.
  if (is_signed && wrapped != *exact) return {};
  return ir::Int(wrapped, dtype);
}

namespace {

Expr FoldFloats(NodeKind kind, const Expr& a, const Expr& b) {
  const auto *x = As<ir::FloatImm>(a), *y = As<ir::FloatImm>(b);
  if (x == nullptr || y == nullptr) return {};
  switch (kind) {
    case NodeKind::kEQ:
      return ir::Bool(x->value == y->value);
    case NodeKind::kNE:
      return ir::Bool(x->value != y->value);
    case NodeKind::kLT:
      return ir::Bool(x->value < y->value);
    case NodeKind::kLE:
      return ir::Bool(x->value <= y->value);
    case NodeKind::kGT:
      return ir::Bool(x->value > y->value);
    case NodeKind::kGE:
      return ir::Bool(x->value >= y->value);
    default:
      return {};
  }
}

}  // namespace

Expr Context::LocalCast(const Expr& expr, const Expr& value, int depth) {
  const DataType to = expr->dtype, from = value->dtype;
  if (to == from) return value;
  if (const auto* imm = As<ir::IntImm>(value)) {
    if (to.is_integral() || to.is_bool()) return ir::Int(WrapInto(imm->value, to), to);
    // The integer is exact in a double, so it is rounded only once.
    if (to.is_float() && std::abs(static_cast<double>(imm->value)) <= 9007199254740992.0 &&
        !(from.is_uint() && imm->value < 0)) {
      return ir::Float(static_cast<double>(imm->value), to);
    }
    return expr;
  }
  if (const auto* broadcast = As<ir::Broadcast>(value)) {
    return ir::MakeBroadcast(Local(ir::MakeCast(to.element_of(), broadcast->value), depth + 1),
                             to.lanes());
  }
  if (const auto* ramp = As<ir::Ramp>(value);
      ramp != nullptr && IsIndexVector(to) && IsIndexVector(from) && to.bits() >= from.bits()) {
    return ir::MakeRamp(Local(ir::MakeCast(to.element_of(), ramp->base), depth + 1),
                        Local(ir::MakeCast(to.element_of(), ramp->stride), depth + 1), to.lanes());
  }
  const auto* inner = As<ir::Cast>(value);
  if (inner == nullptr) return expr;
  const DataType source = inner->value->dtype;
  if (to.is_integral() && from.is_integral() && source.is_integral()) {
    // A truncation of a widened value, or of a truncated value.
    if (from.bits() >= to.bits()) return Local(ir::MakeCast(to, inner->value), depth + 1);
    // A widening of a value that was truncated without loss, or widened already.
    const ConstBound bound = BoundOf(inner->value);
    if (ConstBound::OfType(from).Contains(bound) &&
        !(from.is_uint() && from.bits() >= 63 && !bound.has_max())) {
      return Local(ir::MakeCast(to, inner->value), depth + 1);
    }
  }
  return expr;
}

Expr Context::LocalMinMax(const Expr& expr, const Expr& a, const Expr& b) {
  const bool is_min = expr->node_kind() == NodeKind::kMin;
  const Id a_id = terms.IdOf(a), b_id = terms.IdOf(b);
  if (a_id == b_id) return a;
  if (IsIndex(expr->dtype)) {
    const Linear d = Combine(terms.LinearOf(a_id), 1, terms.LinearOf(b_id), -1);
    if (!d.known) return expr;
    if (ProveNonNegative(d, kChoiceProof)) return is_min ? b : a;
    if (ProveNonNegative(Combine(Linear(), 1, d, -1), kChoiceProof)) return is_min ? a : b;
    return expr;
  }
  if (!expr->dtype.is_integral()) return expr;
  const ConstBound x = FactsOf(a_id).bound, y = FactsOf(b_id).bound;
  if (x.has_max() && y.has_min() && x.max <= y.min) return is_min ? a : b;
  if (y.has_max() && x.has_min() && y.max <= x.min) return is_min ? b : a;
  return expr;
}

namespace {

// True for nodes to which no rule and no knowledge applies (constants were folded before). Often
// they are most of a kernel's arithmetic; their operands need no classes.
bool IsOutOfReach(const ir::ExprNode& expr) {
  const NodeKind kind = expr.node_kind();
  const ir::Operands sides = ir::BinaryOperands(&expr);
  if (!sides) return !expr.dtype.is_bool() && RulesFor(kind).empty();
  const bool arithmetic = kind == NodeKind::kAdd || kind == NodeKind::kSub ||
                          kind == NodeKind::kMul || kind == NodeKind::kDiv;
  return arithmetic && expr.dtype.is_float() &&
         !(As<ir::Broadcast>(*sides.a) != nullptr && As<ir::Broadcast>(*sides.b) != nullptr);
}

}  // namespace

Expr Context::Local(const Expr& expr, int depth) {
  if (depth > kMaxRuleDepth) return expr;
  if (const Expr folded = LocalFold(expr)) return folded;
  if (TermTable::IsLinearNode(*expr) && As<ir::Cast>(expr) == nullptr) {
    const TermTable::Region region = TermTable::Flatten(expr, /*through_casts=*/false);
    Exprs leaves;
    for (const TermTable::Leaf& leaf : region.leaves) leaves.push_back(leaf.expr);
    return LocalSum(expr, region, leaves, depth);
  }
  const NodeKind kind = expr->node_kind();
  if (kind == NodeKind::kCast) return LocalCast(expr, As<ir::Cast>(expr)->value, depth);
  if (kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm || kind == NodeKind::kStringImm ||
      kind == NodeKind::kVarNode || kind == NodeKind::kLoad) {
    return expr;
  }
  if (IsOutOfReach(*expr)) return expr;
  if (terms.info(terms.IdOf(expr)).opaque) return expr;
  Expr result = expr;
  if (const ir::Operands sides = ir::BinaryOperands(expr.get())) {
    const Expr &a = *sides.a, &b = *sides.b;
    switch (kind) {
      case NodeKind::kDiv:
      case NodeKind::kMod:
      case NodeKind::kFloorDiv:
      case NodeKind::kFloorMod:
        result = LocalDivMod(expr, a, b, depth);
        break;
      case NodeKind::kMin:
      case NodeKind::kMax:
        result = LocalMinMax(expr, a, b);
        break;
      default:
        if (IsComparison(kind)) result = LocalCompare(expr, a, b, depth);
    }
  } else if (expr->dtype.is_bool()) {
    if (const std::optional<bool> said = Literal(expr)) {
      return ir::Bool(*said, expr->dtype.lanes());
    }
  }
  if (!result.same_as(expr)) return result;
  if ((kind == NodeKind::kAnd || kind == NodeKind::kOr) && expr->dtype.is_scalar()) {
    if (const std::optional<bool> said = Literal(expr)) return ir::Bool(*said);
  }
  return ApplyRules(expr, depth);
}

// The result if constants decide it, else null.
Expr Context::LocalFold(const Expr& expr) {
  const NodeKind kind = expr->node_kind();
  if (const ir::Operands sides = ir::BinaryOperands(expr.get())) {
    const Expr &a = *sides.a, &b = *sides.b;
    if (Expr folded = FoldFloats(kind, a, b)) return folded;
    if (kind == NodeKind::kAnd || kind == NodeKind::kOr) {
      // An operand with effects must not be dropped.
      const int64_t *x = ir::AsConstInt(a), *y = ir::AsConstInt(b);
      const bool is_and = kind == NodeKind::kAnd;
      if (x != nullptr && (*x != 0) == is_and) return b;
      if (y != nullptr && (*y != 0) == is_and) return a;
      if (x != nullptr && ir::CanDrop(b)) return a;
      if (y != nullptr && ir::CanDrop(a)) return b;
      return {};
    }
    if (a->dtype.is_scalable()) return {};
    const int64_t *x = ir::AsConstInt(a), *y = ir::AsConstInt(b);
    if (x == nullptr || y == nullptr) return {};
    const Expr folded = FoldConstants(kind, a->dtype.element_of(), *x, *y);
    if (!folded || a->dtype.is_scalar()) return folded;
    return ir::MakeBroadcast(folded, a->dtype.lanes());
  }
  if (const auto* negation = As<ir::Not>(expr)) {
    const int64_t* value = ir::AsConstInt(negation->a);
    if (value != nullptr && !expr->dtype.is_scalable()) {
      return ir::Bool(*value == 0, expr->dtype.lanes());
    }
    return {};
  }
  if (const auto* select = As<ir::Select>(expr)) {
    const int64_t* value = ir::AsConstInt(select->condition);
    if (value == nullptr) return {};
    const Expr& dropped = *value != 0 ? select->false_value : select->true_value;
    if (!ir::CanDrop(dropped)) return {};
    return *value != 0 ? select->true_value : select->false_value;
  }
  if (const auto* call = As<ir::Call>(expr)) {
    if (call->op == ir::intrinsic::kLikely && call->arg(0) &&
        ir::AsConstInt(call->arg(0)) != nullptr) {
      return call->arg(0);
    }
    if (call->op == ir::intrinsic::kIfThenElse && call->arg(0) &&
        ir::AsConstInt(call->arg(0)) != nullptr) {
      return *ir::AsConstInt(call->arg(0)) != 0 ? call->arg(1) : call->arg(2);
    }
  }
  return {};
}

}  // namespace lathe::arith::internal
