// Constants, arithmetic, comparisons and selections, with the IR's semantics.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/float_formats.h"
#include "ir/intrinsic_names.h"
#include "plugins/sdk/c_emitter.h"

namespace lathe::sdk::internal {

using ir::As;
using ir::NodeKind;

namespace {

constexpr int kFactDepth = 8;
// How deep the search for known multiples goes; sums of threads, blocks and loops times sizes are
// this deep.
constexpr int kMultipleDepth = 14;

const char* OperatorOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return "+";
    case NodeKind::kSub:
      return "-";
    case NodeKind::kMul:
      return "*";
    case NodeKind::kDiv:
      return "/";
    case NodeKind::kEQ:
      return "==";
    case NodeKind::kNE:
      return "!=";
    case NodeKind::kLT:
      return "<";
    case NodeKind::kLE:
      return "<=";
    case NodeKind::kGT:
      return ">";
    case NodeKind::kGE:
      return ">=";
    default:
      return "";
  }
}

// arith has this, too, but plugins link the SDK without it.
bool IsComparison(NodeKind kind) { return kind >= NodeKind::kEQ && kind <= NodeKind::kGE; }
bool IsDivision(NodeKind kind) {
  return kind == NodeKind::kDiv || kind == NodeKind::kMod || kind == NodeKind::kFloorDiv ||
         kind == NodeKind::kFloorMod;
}

DataType Unsigned(DataType type) { return DataType::UInt(type.bits(), type.lanes()); }
DataType Single(DataType type) { return DataType::Float(32, type.lanes()); }

}  // namespace

std::string CEmitter::IntLiteral(DataType type, int64_t value) {
  if (type.is_bool()) return value != 0 ? "true" : "false";
  if (type.is_uint()) {
    std::string text = std::to_string(static_cast<uint64_t>(value)) + "u";
    if (type.bits() == 64) text += d_.LongSuffix();
    return type.bits() < 32 ? "((" + d_.Type(type) + ")" + text + ")" : text;
  }
  const std::string suffix = type.bits() == 64 ? d_.LongSuffix() : "";
  const int64_t least = type.bits() == 64 ? INT64_MIN : INT32_MIN;
  // The least number has no positive counterpart in its type, so it cannot be written as -x.
  if (type.bits() >= 32 && value == least)
    return "(-" + std::to_string(-(value + 1)) + suffix + " - 1)";
  std::string text = std::to_string(value) + suffix;
  if (value < 0) text = "(" + text + ")";
  return type.bits() < 32 ? "((" + d_.Type(type) + ")" + text + ")" : text;
}

std::string CEmitter::Literal(DataType type, double value) {
  if (std::isfinite(value)) {
    // The zero of a float type, and the float32 values of small floats, are exact.
    return d_.FloatLiteral(type, value);
  }
  if (std::string text = d_.NonFinite(type, value); !text.empty()) return text;
  const DataType wide = type.bits() == 64 ? type : DataType::Float(32);
  const DataType bits = Unsigned(wide);
  const std::string text =
      d_.Reinterpret(wide, bits, IntLiteral(bits, static_cast<int64_t>(EncodeFloat(value, wide))));
  return wide == type ? text : d_.Convert(type, wide, text);
}

std::string CEmitter::Zero(DataType part) {
  const DataType scalar = part.element_of();
  if (scalar.is_handle()) return "0";
  const std::string zero = scalar.is_float() ? Literal(scalar, 0) : IntLiteral(scalar, 0);
  return part.is_scalar() ? zero : d_.Splat(part, zero);
}

// In C, overflow of signed integers is undefined, and unsigned integers wrap.
std::string CEmitter::Wrapping(const char* op, DataType part, const std::string& a,
                               const std::string& b, bool is_index) {
  const std::string plain = a + " " + op + " " + b;
  if (part.bits() >= 32 && (part.is_uint() || is_index)) return "(" + plain + ")";
  if (!part.is_scalar()) {
    if (part.is_uint()) return "(" + plain + ")";
    const DataType u = Unsigned(part);
    return d_.Reinterpret(
        part, u,
        "(" + d_.Reinterpret(u, part, a) + " " + op + " " + d_.Reinterpret(u, part, b) + ")");
  }
  // Types narrower than int are promoted to int, and products of 16 bits may not fit into it.
  const std::string u = d_.Type(DataType::UInt(std::max(part.bits(), 32)));
  if (!host_ || part.bits() < 32)
    return "((" + d_.Type(part) + ")((" + u + ")" + a + " " + op + " (" + u + ")" + b + "))";
  // People read the text of hosts: it has no more conversions than it needs.
  const auto as_unsigned = [&](const std::string& x) {
    const auto known = wrapped_.find(x);
    if (known != wrapped_.end()) return known->second;
    const bool number = x.find_first_not_of("0123456789") == std::string::npos;
    return number ? x + "u" : "(" + u + ")" + x;
  };
  const std::string sum = "(" + as_unsigned(a) + " " + op + " " + as_unsigned(b) + ")";
  const std::string text = "((" + d_.Type(part) + ")" + sum + ")";
  wrapped_.emplace(text, sum);
  return text;
}

std::string CEmitter::Binary(NodeKind kind, DataType part, const std::string& a,
                             const std::string& b) {
  if (kind == NodeKind::kAnd || kind == NodeKind::kOr) {
    // Evaluates both operands: `&&` would be a branch, which costs time and which some compilers
    // get wrong in kernels with many branches.
    return "(" + a + (kind == NodeKind::kAnd ? " & " : " | ") + b + ")";
  }
  if (part.is_float() && !d_.HasArithmetic(part)) {
    const DataType wide = Single(part);
    const std::string out =
        Binary(kind, wide, d_.Convert(wide, part, a), d_.Convert(wide, part, b));
    return IsComparison(kind) ? out : d_.Convert(part, wide, out);
  }
  if (IsComparison(kind)) return d_.Compare(OperatorOf(kind), part, a, b);
  if (kind == NodeKind::kMin || kind == NodeKind::kMax)
    return d_.MinMax(kind == NodeKind::kMax, part, a, b);
  if (!part.is_float()) return Wrapping(OperatorOf(kind), part, a, b, InIndex());
  switch (kind) {
    case NodeKind::kFloorDiv:
      return Math(ir::intrinsic::kFloor, part, {"(" + a + " / " + b + ")"});
    case NodeKind::kFloorMod:
      return "(" + a + " - " + Math(ir::intrinsic::kFloor, part, {"(" + a + " / " + b + ")"}) +
             " * " + b + ")";
    case NodeKind::kMod:
      return Math(ir::intrinsic::kFmod, part, {a, b});
    default:
      return "(" + a + " " + OperatorOf(kind) + " " + b + ")";
  }
}

void CEmitter::EmitBinary(const ir::ExprNode& node, const ir::Operands& operands) {
  CValue b = Pop(), a = Pop();
  const NodeKind kind = node.node_kind();
  const DataType type = (*operands.a)->dtype;
  CValue out;
  if (IsDivision(kind) && !type.is_float()) {
    EmitDivision(kind, operands, &a, &b, &out);
    return Push(std::move(out));
  }
  // Operands that occur twice in the text get a name: a and b of MinMax and FloorMod, and values
  // that are converted in several steps.
  const bool twice =
      kind == NodeKind::kMin || kind == NodeKind::kMax || kind == NodeKind::kFloorMod;
  const bool narrow = type.is_float() && !d_.HasArithmetic(PartOf(type));
  if (twice) Materialise(&a), Materialise(&b), Name(&a), Name(&b);
  out = PerPart(node.dtype, {&a, &b}, [&](DataType part, const std::vector<std::string>& x) {
    const DataType in = type.with_lanes(part.lanes());
    if (twice && narrow) {
      const DataType wide = Single(in);
      return d_.Convert(in, wide,
                        Binary(kind, wide, Named(wide, d_.Convert(wide, in, x[0])),
                               Named(wide, d_.Convert(wide, in, x[1]))));
    }
    return Binary(kind, in, x[0], x[1]);
  });
  out.depth += narrow ? 2 : 0;
  Push(std::move(out));
}

void CEmitter::EmitDivision(NodeKind kind, const ir::Operands& operands, CValue* a, CValue* b,
                            CValue* out) {
  const DataType type = (*operands.a)->dtype;
  const DataType scalar = type.element_of();
  const int64_t* divisor = ir::AsConstInt(*operands.b);
  const bool floor = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
  const bool quotient = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
  const bool positive = divisor != nullptr && (*divisor > 0 || (type.is_uint() && *divisor != 0));
  const auto operator_on = [&](const std::string& op) {
    *out = PerPart(type, {a, b}, [&](DataType part, const std::vector<std::string>& x) {
      const std::string text = "(" + x[0] + op + x[1] + ")";
      // C promotes narrow types to int.
      return part.is_scalar() && part.bits() < 32 ? "((" + d_.Type(part) + ")" + text + ")" : text;
    });
  };
  if (positive && type.is_int() && floor && std::has_single_bit(static_cast<uint64_t>(*divisor))) {
    const int shift = std::countr_zero(static_cast<uint64_t>(*divisor));
    *b = {.type = type, .base = IntLiteral(scalar, quotient ? shift : *divisor - 1)};
    if (type.is_scalar()) *b = {.type = type, .parts = {b->base}};
    return operator_on(quotient ? " >> " : " & ");
  }
  if (positive && (!floor || type.is_uint() || IsNonNegative(*operands.a)))
    return operator_on(quotient ? " / " : " % ");
  const std::string op =
      std::string(floor && type.is_int() ? "floor" : "") + (quotient ? "div" : "mod");
  const std::string function = helpers_.Division(op, scalar);
  const int depth = std::max(a->depth, b->depth) + 1;
  const std::vector<std::string> x = Lanes(std::move(*a)), y = Lanes(std::move(*b));
  std::vector<std::string> lanes;
  for (size_t i = 0; i < x.size(); ++i) lanes.push_back(function + "(" + x[i] + ", " + y[i] + ")");
  *out = FromLanes(type, lanes);
  out->depth = std::max(out->depth, depth);
}

void CEmitter::EmitSelect(const ir::Select& select) {
  CValue b = Pop(), a = Pop(), condition = Pop();
  const DataType type = select.dtype;
  const int depth = std::max({a.depth, b.depth, condition.depth}) + 1;
  if (select.condition->dtype.is_scalar() && !type.is_scalar()) {
    // One condition for all lanes. C's operator ?: accepts whole vectors in some languages only, so
    // the condition is splat and each part selected by it.
    condition.base = Scalar(std::move(condition));
    condition.parts.clear();
    condition.type = DataType::Bool(type.lanes());
  }
  CValue out =
      PerPart(type, {&condition, &a, &b}, [&](DataType part, const std::vector<std::string>& x) {
        return d_.Select(part, x[0], x[1], x[2]);
      });
  out.depth = std::max(out.depth, depth);
  Push(std::move(out));
}

void CEmitter::EmitShuffle(const ir::Shuffle& shuffle) {
  for (size_t i = 0; i < shuffle.indices.size(); ++i) Pop();
  std::vector<CValue> vectors(shuffle.vectors.size());
  for (size_t i = vectors.size(); i-- > 0;) vectors[i] = Pop();
  std::vector<std::string> all;
  for (CValue& vector : vectors) {
    Name(&vector);
    for (std::string& lane : Lanes(std::move(vector))) all.push_back(std::move(lane));
  }
  std::vector<std::string> lanes;
  for (const ir::Expr& index : shuffle.indices)
    lanes.push_back(all.at(static_cast<size_t>(*ir::AsConstInt(index))));
  if (shuffle.dtype.is_scalar()) return PushText(shuffle.dtype, lanes[0], 1);
  Push(FromLanes(shuffle.dtype, lanes));
}

bool CEmitter::IsNonNegative(const ir::Expr& expr, int depth) const {
  if (!expr || depth > kFactDepth) return false;
  if (expr->dtype.is_uint()) return true;
  if (!expr->dtype.is_int()) return false;
  if (const int64_t* value = ir::AsConstInt(expr)) return *value >= 0;
  if (const auto* var = As<ir::VarNode>(expr)) {
    if (var->is_size || nonnegative_.count(var) != 0) return true;
    const auto found = definitions_.find(var);
    return found != definitions_.end() && IsNonNegative(found->second, depth + 1);
  }
  if (const auto* cast = As<ir::Cast>(expr))
    return cast->dtype.bits() > cast->value->dtype.bits() && IsNonNegative(cast->value, depth + 1);
  if (const auto* ramp = As<ir::Ramp>(expr))
    return InIndex() && IsNonNegative(ramp->base, depth + 1) &&
           IsNonNegative(ramp->stride, depth + 1);
  if (const auto* broadcast = As<ir::Broadcast>(expr))
    return IsNonNegative(broadcast->value, depth + 1);
  const ir::Operands operands = ir::BinaryOperands(expr.get());
  if (!operands) return false;
  const auto both = [&] {
    return IsNonNegative(*operands.a, depth + 1) && IsNonNegative(*operands.b, depth + 1);
  };
  const int64_t* divisor = ir::AsConstInt(*operands.b);
  switch (expr->node_kind()) {
    // Sums and products of data may wrap; index arithmetic does not.
    case NodeKind::kAdd:
    case NodeKind::kMul:
      return InIndex() && both();
    case NodeKind::kMin:
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
      return both();
    case NodeKind::kFloorMod:
      return divisor != nullptr && *divisor > 0;
    case NodeKind::kMax:
      return IsNonNegative(*operands.a, depth + 1) || IsNonNegative(*operands.b, depth + 1);
    default:
      return false;
  }
}

int64_t CEmitter::KnownMultiple(const ir::Expr& expr, int depth) const {
  if (!expr || depth > kMultipleDepth) return 1;
  if (const int64_t* value = ir::AsConstInt(expr))
    return *value == INT64_MIN ? 1 : std::abs(*value);
  if (const auto* var = As<ir::VarNode>(expr)) {
    const auto found = definitions_.find(var);
    return found == definitions_.end() ? 1 : KnownMultiple(found->second, depth + 1);
  }
  if (const auto* cast = As<ir::Cast>(expr)) {
    const bool exact =
        cast->value->dtype.is_integral() && cast->dtype.bits() >= cast->value->dtype.bits();
    return exact ? KnownMultiple(cast->value, depth) : 1;  // a cast does not count as a level
  }
  const ir::Operands operands = ir::BinaryOperands(expr.get());
  if (!operands) return 1;
  const int64_t a = KnownMultiple(*operands.a, depth + 1),
                b = KnownMultiple(*operands.b, depth + 1);
  switch (expr->node_kind()) {
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMod:
    case NodeKind::kFloorMod:
      return std::gcd(a, b);
    case NodeKind::kMin:
    case NodeKind::kMax:
      return std::gcd(a, b);
    case NodeKind::kMul: {
      // Only powers of two matter for alignment; the product is limited so that it cannot overflow.
      const int64_t x = std::min<int64_t>(a & -a, 1 << 30), y = std::min<int64_t>(b & -b, 1 << 30);
      return x * y;
    }
    default:
      return 1;
  }
}

}  // namespace lathe::sdk::internal
