#include "arith/test_evaluator.h"

#include <bit>
#include <cmath>
#include <utility>

#include "arith/context.h"
#include "arith/int_math.h"
#include "base/error.h"

namespace lathe::arith {
namespace {

using ir::As;
using ir::Expr;
using ir::NodeKind;

double AsDouble(int64_t bits) { return std::bit_cast<double>(bits); }
int64_t AsBits(double value) { return std::bit_cast<int64_t>(value); }

bool FloatOperation(NodeKind kind, double a, double b, int64_t* out) {
  switch (kind) {
    case NodeKind::kAdd:
      *out = AsBits(a + b);
      return true;
    case NodeKind::kSub:
      *out = AsBits(a - b);
      return true;
    case NodeKind::kMul:
      *out = AsBits(a * b);
      return true;
    case NodeKind::kDiv:
      *out = AsBits(a / b);
      return true;
    case NodeKind::kFloorDiv:
      *out = AsBits(std::floor(a / b));
      return true;
    case NodeKind::kFloorMod:
      *out = AsBits(a - std::floor(a / b) * b);
      return true;
    case NodeKind::kMin:
      *out = AsBits(std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b);
      return true;
    case NodeKind::kMax:
      *out = AsBits(std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b);
      return true;
    case NodeKind::kEQ:
      *out = a == b;
      return true;
    case NodeKind::kNE:
      *out = a != b;
      return true;
    case NodeKind::kLT:
      *out = a < b;
      return true;
    case NodeKind::kLE:
      *out = a <= b;
      return true;
    case NodeKind::kGT:
      *out = a > b;
      return true;
    case NodeKind::kGE:
      *out = a >= b;
      return true;
    default:
      return false;
  }
}

// Returns false if there is no value.
bool IntegerOperation(NodeKind kind, DataType dtype, int64_t a, int64_t b, int64_t* out,
                      bool* overflow) {
  const bool wide_unsigned = dtype.is_uint() && dtype.bits() == 64;
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool less = wide_unsigned ? ua < ub : a < b;
  switch (kind) {
    case NodeKind::kAdd:
      *out = static_cast<int64_t>(ua + ub);
      break;
    case NodeKind::kSub:
      *out = static_cast<int64_t>(ua - ub);
      break;
    case NodeKind::kMul:
      *out = static_cast<int64_t>(ua * ub);
      break;
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod: {
      if (b == 0) return false;
      const bool div = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
      const bool floor = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
      if (wide_unsigned) {
        *out = static_cast<int64_t>(div ? ua / ub : ua % ub);
      } else if (b == -1) {
        *out = div ? static_cast<int64_t>(0 - ua) : 0;
      } else if (floor) {
        *out = div ? FloorDivInt(a, b) : FloorModInt(a, b);
      } else {
        *out = div ? a / b : a % b;
      }
      break;
    }
    case NodeKind::kMin:
      *out = less ? a : b;
      break;
    case NodeKind::kMax:
      *out = less ? b : a;
      break;
    case NodeKind::kEQ:
      *out = a == b;
      return true;
    case NodeKind::kNE:
      *out = a != b;
      return true;
    case NodeKind::kLT:
      *out = less;
      return true;
    case NodeKind::kLE:
      *out = less || a == b;
      return true;
    case NodeKind::kGT:
      *out = !less && a != b;
      return true;
    case NodeKind::kGE:
      *out = !less;
      return true;
    case NodeKind::kAnd:
      *out = a != 0 && b != 0;
      return true;
    case NodeKind::kOr:
      *out = a != 0 || b != 0;
      return true;
    default:
      LATHE_CHECK(false) << "not an integer operation";
  }
  const int64_t wrapped = internal::WrapInto(*out, dtype);
  if (dtype.is_int() && dtype.bits() >= 32) {
    *overflow = wrapped != *out || (kind == NodeKind::kAdd && !CheckedAdd(a, b)) ||
                (kind == NodeKind::kSub && !CheckedSub(a, b)) ||
                (kind == NodeKind::kMul && !CheckedMul(a, b));
  }
  *out = wrapped;
  return true;
}

// `out` becomes invalid where `from` is, and overflows where it does.
void TakeFaults(const TestValues& from, TestValues* out) {
  for (size_t i = 0; i < out->invalid.size(); ++i) {
    out->invalid[i] = out->invalid[i] || from.invalid[i];
    out->overflow[i] = out->overflow[i] || from.overflow[i];
  }
}

// `out` has the shape of the result, without faults. The same below.
TestValues IfThenElse(const TestValues& c, const TestValues& a, const TestValues& b,
                      TestValues out) {
  TakeFaults(c, &out);
  for (size_t i = 0; i < out.invalid.size(); ++i) {
    const bool taken = c.values[i] != 0;
    out.values[i] = taken ? a.values[i] : b.values[i];
    out.invalid[i] = out.invalid[i] || (taken ? a.invalid[i] : b.invalid[i]);
    out.overflow[i] = out.overflow[i] || (taken ? a.overflow[i] : b.overflow[i]);
  }
  return out;
}

// A call of an operator on bits.
TestValues BitOperation(const ir::Call& call, const TestValues& a, const TestValues& b,
                        TestValues out) {
  TakeFaults(a, &out), TakeFaults(b, &out);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const int64_t x = a.values[i], y = b.values[i];
    if (call.op == "bitwise_and") {
      out.values[i] = x & y;
    } else if (y < 0 || y >= call.dtype.bits()) {
      out.invalid[i] = true;
    } else if (call.op == "shift_right") {
      out.values[i] = x >> y;
    } else {
      LATHE_CHECK(call.op == "shift_left") << call.op;
      out.values[i] =
          internal::WrapInto(static_cast<int64_t>(static_cast<uint64_t>(x) << y), call.dtype);
    }
  }
  return out;
}

}  // namespace

TestValues EvaluateForTest(const Expr& expr, const TestPoints& points, size_t count) {
  const int lanes = expr->dtype.lanes();
  const size_t total = count * static_cast<size_t>(lanes);
  TestValues out{lanes, std::vector<int64_t>(total), std::vector<bool>(count),
                 std::vector<bool>(count)};
  auto evaluate = [&](const Expr& e) { return EvaluateForTest(e, points, count); };
  auto take_invalid = [&](const TestValues& from) { TakeFaults(from, &out); };
  if (const auto* imm = As<ir::IntImm>(expr)) {
    for (int64_t& v : out.values) v = imm->value;
  } else if (const auto* number = As<ir::FloatImm>(expr)) {
    for (int64_t& v : out.values) v = AsBits(number->value);
  } else if (As<ir::VarNode>(expr) != nullptr) {
    return points.at(expr.get());
  } else if (const ir::Operands sides = ir::BinaryOperands(expr.get())) {
    const TestValues a = evaluate(*sides.a), b = evaluate(*sides.b);
    take_invalid(a);
    take_invalid(b);
    const DataType dtype = (*sides.a)->dtype;
    for (size_t i = 0; i < total; ++i) {
      bool overflow = false;
      const bool fine = dtype.is_float() ? FloatOperation(expr->node_kind(), AsDouble(a.values[i]),
                                                          AsDouble(b.values[i]), &out.values[i])
                                         : IntegerOperation(expr->node_kind(), dtype, a.values[i],
                                                            b.values[i], &out.values[i], &overflow);
      if (!fine) out.invalid[i / static_cast<size_t>(lanes)] = true;
      if (overflow) out.overflow[i / static_cast<size_t>(lanes)] = true;
    }
  } else if (const auto* negation = As<ir::Not>(expr)) {
    out = evaluate(negation->a);
    for (int64_t& v : out.values) v = v == 0;
  } else if (const auto* cast = As<ir::Cast>(expr)) {
    out = evaluate(cast->value);
    LATHE_CHECK(!cast->value->dtype.is_float() && !expr->dtype.is_float());
    for (int64_t& v : out.values) v = internal::WrapInto(v, expr->dtype);
  } else if (const auto* select = As<ir::Select>(expr)) {
    const TestValues c = evaluate(select->condition);
    const TestValues a = evaluate(select->true_value), b = evaluate(select->false_value);
    take_invalid(c), take_invalid(a), take_invalid(b);
    for (size_t i = 0; i < total; ++i) {
      const size_t at = c.lanes == lanes ? i : i / static_cast<size_t>(lanes);
      out.values[i] = c.values[at] != 0 ? a.values[i] : b.values[i];
    }
  } else if (const auto* broadcast = As<ir::Broadcast>(expr)) {
    const TestValues a = evaluate(broadcast->value);
    take_invalid(a);
    for (size_t i = 0; i < total; ++i) out.values[i] = a.values[i / static_cast<size_t>(lanes)];
  } else if (const auto* ramp = As<ir::Ramp>(expr)) {
    const TestValues base = evaluate(ramp->base), stride = evaluate(ramp->stride);
    take_invalid(base), take_invalid(stride);
    for (size_t i = 0; i < total; ++i) {
      const size_t at = i / static_cast<size_t>(lanes);
      const auto lane = static_cast<uint64_t>(i % static_cast<size_t>(lanes));
      out.values[i] =
          internal::WrapInto(static_cast<int64_t>(static_cast<uint64_t>(base.values[at]) +
                                                  lane * static_cast<uint64_t>(stride.values[at])),
                             expr->dtype);
    }
  } else {
    const auto* call = As<ir::Call>(expr);
    LATHE_CHECK(call != nullptr) << "not evaluated: " << ir::NodeKindName(expr->node_kind());
    if (call->op == "likely") return evaluate(call->arg(0));
    if (call->op == "if_then_else") {
      return IfThenElse(evaluate(call->arg(0)), evaluate(call->arg(1)), evaluate(call->arg(2)),
                        std::move(out));
    }
    return BitOperation(*call, evaluate(call->arg(0)), evaluate(call->arg(1)), std::move(out));
  }
  return out;
}

}  // namespace lathe::arith
