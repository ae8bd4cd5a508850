// Arithmetic, comparison and logic over expressions. They bring operands to one type and fold
// constants.

#include <limits>

#include "base/error.h"
#include "ir/expr.h"
#include "ir/expr_checks.h"

namespace lathe::ir {
namespace {

using internal::Checked;
using internal::TypeMismatch;

DataType BoolLike(DataType dtype) { return DataType(DLDataType{kDLBool, 8, dtype.dl().lanes}); }

template <class T>
Expr NewBinary(Expr a, Expr b, bool boolean) {
  Ref<T> node = Make<T>();
  LATHE_CHECK(a && b) << "binary operands must not be null";
  node->dtype = boolean ? BoolLike(a->dtype) : a->dtype;
  node->a = std::move(a);
  node->b = std::move(b);
  return Checked(std::move(node));
}

// The rank of a scalar type in promotion: the larger rank wins.
int PromotionRank(DataType t) {
  if (t.is_bool()) return 0;
  if (t.is_integral()) return t.bits() * 2 + (t.is_uint() ? 1 : 0);
  if (t.is_float8()) return 1000;
  if (t.is_bfloat16()) return 1001;
  if (t.is_float()) return 1000 + t.bits();
  return -1;
}

}  // namespace

namespace internal {

void Promote(Expr& a, Expr& b, const char* what) {
  LATHE_CHECK(a && b) << "operands must not be null";
  if (a->dtype == b->dtype) return;
  const DataType ta = a->dtype.element_of(), tb = b->dtype.element_of();
  const int rank_a = PromotionRank(ta), rank_b = PromotionRank(tb);
  if (rank_a < 0 || rank_b < 0) {
    TypeMismatch(std::string(what) + " of operands that are not both numbers", "numbers",
                 ta.ToString() + " and " + tb.ToString());
  }
  DataType target = rank_a >= rank_b ? ta : tb;
  const bool const_a = As<IntImm>(a) || As<FloatImm>(a);
  const bool const_b = As<IntImm>(b) || As<FloatImm>(b);
  const bool same_class = ta.is_float() == tb.is_float() && !ta.is_bool() && !tb.is_bool();
  // An integer constant also yields to a float; a float constant never becomes an integer. One that
  // does not fit the other type is an operand as any.
  const auto fits = [](const Expr& constant, DataType type) {
    const auto* number = As<IntImm>(constant);
    return number == nullptr || !type.is_integral() || FitsInt(number->value, type);
  };
  if (const_a && !const_b && (same_class || tb.is_float()) && fits(a, tb)) target = tb;
  if (const_b && !const_a && (same_class || ta.is_float()) && fits(b, ta)) target = ta;
  const int lanes = a->dtype.is_scalar() ? static_cast<int16_t>(b->dtype.dl().lanes)
                                         : static_cast<int16_t>(a->dtype.dl().lanes);
  if (!a->dtype.is_scalar() && !b->dtype.is_scalar() &&
      a->dtype.dl().lanes != b->dtype.dl().lanes) {
    TypeMismatch(std::string(what) + " of vectors with different lanes", a->dtype.ToString(),
                 b->dtype.ToString());
  }
  auto convert = [&](Expr& e) {
    const DataType own_lanes =
        DataType(target.code(), target.bits(), static_cast<int16_t>(e->dtype.dl().lanes));
    e = MakeCast(own_lanes, e);
    if (e->dtype.is_scalar() && lanes != 1) {
      Ref<Broadcast> node = Make<Broadcast>();
      node->dtype = DataType(target.code(), target.bits(), lanes);
      node->value = e;
      e = node;
    }
  };
  convert(a);
  convert(b);
}

bool FitsInt(__int128 value, DataType t) {
  if (t.is_uint()) {
    return value >= 0 && (t.bits() == 64 ? value <= std::numeric_limits<int64_t>::max()
                                         : value < (__int128{1} << t.bits()));
  }
  const __int128 half = __int128{1} << (t.bits() - 1);
  return value >= -half && value < half;
}

}  // namespace internal

namespace {

using internal::FitsInt;
using internal::Promote;

const int64_t* IntOf(const Expr& e) {
  const auto* imm = As<IntImm>(e);
  return imm != nullptr && imm->dtype.is_integral() ? &imm->value : nullptr;
}

// The folded value of an integer operation; null if it does not fold (overflow, division by zero,
// an operand is not constant).
Expr FoldInt(NodeKind kind, const Expr& a, const Expr& b) {
  const int64_t* x = IntOf(a);
  const int64_t* y = IntOf(b);
  if (x == nullptr || y == nullptr) return nullptr;
  if (a->dtype.is_uint() && (*x < 0 || *y < 0)) return nullptr;  // uint64 beyond int64
  const __int128 p = *x, q = *y;
  __int128 value = 0;
  switch (kind) {
    case NodeKind::kAdd:
      value = p + q;
      break;
    case NodeKind::kSub:
      value = p - q;
      break;
    case NodeKind::kMul:
      value = p * q;
      break;
    case NodeKind::kMin:
      value = std::min(p, q);
      break;
    case NodeKind::kMax:
      value = std::max(p, q);
      break;
    case NodeKind::kEQ:
      return Bool(p == q);
    case NodeKind::kNE:
      return Bool(p != q);
    case NodeKind::kLT:
      return Bool(p < q);
    case NodeKind::kLE:
      return Bool(p <= q);
    case NodeKind::kGT:
      return Bool(p > q);
    case NodeKind::kGE:
      return Bool(p >= q);
    default: {
      if (*y == 0 || (*y == -1 && *x == std::numeric_limits<int64_t>::min())) return nullptr;
      // By one, where truncation is not rounding down.
      const __int128 rounded_up = *x % *y != 0 && (*x < 0) != (*y < 0) ? 1 : 0;
      if (kind == NodeKind::kDiv)
        value = *x / *y;
      else if (kind == NodeKind::kMod)
        value = *x % *y;
      else if (kind == NodeKind::kFloorDiv)
        value = *x / *y - rounded_up;
      else if (kind == NodeKind::kFloorMod)
        value = *x % *y + rounded_up * q;
      else
        return nullptr;
    }
  }
  if (!FitsInt(value, a->dtype)) return nullptr;
  return Int(static_cast<int64_t>(value), a->dtype);
}

bool IsIndexLike(const Expr& e) { return e->dtype.is_integral(); }

Expr Arithmetic(NodeKind kind, Expr a, Expr b, const char* what) {
  Promote(a, b, what);
  if (Expr folded = FoldInt(kind, a, b)) return folded;
  if (IsIndexLike(a)) {
    switch (kind) {
      case NodeKind::kAdd:
        if (IsZero(a)) return b;
        if (IsZero(b)) return a;
        break;
      case NodeKind::kSub:
        if (IsZero(b)) return a;
        break;
      case NodeKind::kMul:
        if (IsOne(a) || IsZero(b)) return b;
        if (IsOne(b) || IsZero(a)) return a;
        break;
      case NodeKind::kDiv:
      case NodeKind::kFloorDiv:
        if (IsOne(b)) return a;
        break;
      case NodeKind::kMod:
      case NodeKind::kFloorMod:
        if (IsOne(b)) return Int(0, a->dtype);
        break;
      default:
        break;
    }
  }
  return MakeBinary(kind, std::move(a), std::move(b));
}

Expr Logic(NodeKind kind, Expr a, Expr b, const char* what) {
  for (const Expr& e : {a, b}) {
    if (!e->dtype.is_bool())
      TypeMismatch(std::string(what) + " of operands that are not conditions", "bool",
                   e->dtype.ToString());
  }
  Promote(a, b, what);
  const bool is_and = kind == NodeKind::kAnd;
  if (const int64_t* x = AsConstInt(a)) return (*x != 0) == is_and ? b : a;
  if (const int64_t* y = AsConstInt(b)) return (*y != 0) == is_and ? a : b;
  return MakeBinary(kind, std::move(a), std::move(b));
}

void RequireIntegers(const Expr& a, const Expr& b, const char* what) {
  for (const Expr& e : {a, b}) {
    if (!e->dtype.is_integral())
      TypeMismatch(std::string(what) + " needs integers", "an integer type", e->dtype.ToString());
  }
}

}  // namespace

Expr MakeBinary(NodeKind kind, Expr a, Expr b) {
  switch (kind) {
#define LATHE_CASE(Name, boolean) \
  case NodeKind::k##Name:         \
    return NewBinary<Name>(std::move(a), std::move(b), boolean);
    LATHE_CASE(Add, false)
    LATHE_CASE(Sub, false)
    LATHE_CASE(Mul, false)
    LATHE_CASE(Div, false)
    LATHE_CASE(Mod, false)
    LATHE_CASE(FloorDiv, false)
    LATHE_CASE(FloorMod, false)
    LATHE_CASE(Min, false)
    LATHE_CASE(Max, false)
    LATHE_CASE(EQ, true)
    LATHE_CASE(NE, true)
    LATHE_CASE(LT, true)
    LATHE_CASE(LE, true)
    LATHE_CASE(GT, true)
    LATHE_CASE(GE, true)
    LATHE_CASE(And, true)
    LATHE_CASE(Or, true)
#undef LATHE_CASE
    default:
      LATHE_CHECK(false) << NodeKindName(kind) << " is not a binary expression";
  }
  return nullptr;
}

Expr operator+(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kAdd, a, b, "addition");
}
Expr operator-(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kSub, a, b, "subtraction");
}
Expr operator*(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kMul, a, b, "multiplication");
}
Expr operator-(const Expr& a) {
  if (const auto* imm = As<FloatImm>(a)) return Float(-imm->value, a->dtype);
  return a->dtype.is_float() ? a * Const(-1.0, a->dtype) : Const(0, a->dtype) - a;
}
Expr operator/(const Expr& a, const Expr& b) {
  if (!a->dtype.is_float() && !b->dtype.is_float()) {
    throw Error(
        Diagnostic{.name = "ambiguous-integer-division",
                   .message = "`/` on integers could round either way",
                   .expected = "at least one floating operand",
                   .found = a->dtype.ToString() + " / " + b->dtype.ToString(),
                   .help = "use floordiv (rounds down) or truncdiv (toward zero, as in C)"});
  }
  return Arithmetic(NodeKind::kDiv, a, b, "division");
}
Expr FloorDivide(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kFloorDiv, a, b, "floordiv");
}
Expr FloorModulo(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kFloorMod, a, b, "floormod");
}
Expr TruncDivide(const Expr& a, const Expr& b) {
  RequireIntegers(a, b, "truncdiv");
  return Arithmetic(NodeKind::kDiv, a, b, "truncdiv");
}
Expr TruncModulo(const Expr& a, const Expr& b) {
  RequireIntegers(a, b, "truncmod");
  return Arithmetic(NodeKind::kMod, a, b, "truncmod");
}
Expr CeilDivide(const Expr& a, const Expr& b) {
  RequireIntegers(a, b, "ceildiv");
  return FloorDivide(a + (b - 1), b);
}
Expr MakeMin(const Expr& a, const Expr& b) {
  return a.same_as(b) ? a : Arithmetic(NodeKind::kMin, a, b, "min");
}
Expr MakeMax(const Expr& a, const Expr& b) {
  return a.same_as(b) ? a : Arithmetic(NodeKind::kMax, a, b, "max");
}
Expr Equal(const Expr& a, const Expr& b) { return Arithmetic(NodeKind::kEQ, a, b, "comparison"); }
Expr NotEqual(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kNE, a, b, "comparison");
}
Expr operator<(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kLT, a, b, "comparison");
}
Expr operator<=(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kLE, a, b, "comparison");
}
Expr operator>(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kGT, a, b, "comparison");
}
Expr operator>=(const Expr& a, const Expr& b) {
  return Arithmetic(NodeKind::kGE, a, b, "comparison");
}
Expr LogicalAnd(const Expr& a, const Expr& b) { return Logic(NodeKind::kAnd, a, b, "and"); }
Expr LogicalOr(const Expr& a, const Expr& b) { return Logic(NodeKind::kOr, a, b, "or"); }
Expr LogicalNot(const Expr& a) {
  if (!a->dtype.is_bool())
    TypeMismatch("not of an operand that is not a condition", "bool", a->dtype.ToString());
  if (const auto* imm = As<IntImm>(a)) return Bool(imm->value == 0);
  Ref<Not> node = Make<Not>();
  node->dtype = a->dtype;
  node->a = a;
  return node;
}

Expr operator+(const Expr& a, int64_t b) { return a + Const(b, a->dtype.element_of()); }
Expr operator-(const Expr& a, int64_t b) { return a - Const(b, a->dtype.element_of()); }
Expr operator*(const Expr& a, int64_t b) { return a * Const(b, a->dtype.element_of()); }
Expr FloorDivide(const Expr& a, int64_t b) {
  return FloorDivide(a, Const(b, a->dtype.element_of()));
}
Expr FloorModulo(const Expr& a, int64_t b) {
  return FloorModulo(a, Const(b, a->dtype.element_of()));
}
Expr operator<(const Expr& a, int64_t b) { return a < Const(b, a->dtype.element_of()); }

Operands BinaryOperands(const ExprNode* expr) {
  if (expr == nullptr) return {};
  switch (expr->node_kind()) {
#define LATHE_CASE(Name)                               \
  case NodeKind::k##Name: {                            \
    const auto* node = static_cast<const Name*>(expr); \
    return Operands{&node->a, &node->b};               \
  }
    LATHE_CASE(Add)
    LATHE_CASE(Sub)
    LATHE_CASE(Mul)
    LATHE_CASE(Div)
    LATHE_CASE(Mod)
    LATHE_CASE(FloorDiv)
    LATHE_CASE(FloorMod)
    LATHE_CASE(Min)
    LATHE_CASE(Max)
    LATHE_CASE(EQ)
    LATHE_CASE(NE)
    LATHE_CASE(LT)
    LATHE_CASE(LE)
    LATHE_CASE(GT)
    LATHE_CASE(GE)
    LATHE_CASE(And)
    LATHE_CASE(Or)
#undef LATHE_CASE
    default:
      return {};
  }
}

}  // namespace lathe::ir
