#include "tests/prove/values.h"

#include <algorithm>
#include <cmath>

namespace lathe::prove {

using ir::Expr;

double Limit(DataType t) {
  if (t.is_bool()) return 1;
  if (t.is_bfloat16()) return 256;
  if (t.is_float8()) return t.code() == kDLFloat8_e5m2 ? 8 : 16;
  if (t.is_float()) return t.bits() == 16 ? 2048 : t.bits() == 32 ? 16777216.0 : 9007199254740992.0;
  return std::ldexp(1.0, std::min(t.bits() - (t.is_int() ? 1 : 0), 52)) - 1;
}

bool Signed(DataType t) { return t.is_int() || t.is_float(); }

DataType AnyType(Random& random) {
  static const std::vector<DataType> common = {DataType::Float(32), DataType::Float(32),
                                               DataType::Float(32), DataType::Int(32),
                                               DataType::Int(32)};
  static const std::vector<DataType> rest = {DataType::Float(64),
                                             DataType::Float(16),
                                             DataType::BFloat16(),
                                             DataType::Int(8),
                                             DataType::Int(16),
                                             DataType::Int(64),
                                             DataType::UInt(8),
                                             DataType::UInt(16),
                                             DataType::UInt(32),
                                             DataType::UInt(64),
                                             DataType::Bool(),
                                             DataType(DLDataType{kDLFloat8_e4m3fn, 8, 1}),
                                             DataType(DLDataType{kDLFloat8_e5m2, 8, 1})};
  return random.Pick(random.Chance(40) ? common : rest);
}

Value Clamp(Value v, double bound) {
  if (v.dtype().is_bool() || v.bound <= bound) return v;
  const auto most = static_cast<int64_t>(bound);
  Expr out = ir::MakeMin(v.expr, ir::Const(most, v.dtype()));
  if (Signed(v.dtype())) out = ir::MakeMax(out, ir::Const(-most, v.dtype()));
  return {out, bound};
}

Value Convert(Value v, DataType dtype) {
  if (v.dtype() == dtype) return v;
  if (dtype.is_bool()) return {ir::NotEqual(v.expr, ir::Const(int64_t{0}, v.dtype())), 1};
  if (v.dtype().is_bool()) return {ir::MakeCast(dtype, v.expr), 1};
  v = Clamp(v, std::min({Limit(dtype), Limit(v.dtype()), 4096.0}));
  if (!Signed(dtype) && Signed(v.dtype()))
    v.expr = ir::MakeMax(v.expr, ir::Const(int64_t{0}, v.dtype()));
  return {ir::MakeCast(dtype, v.expr), v.bound};
}

Value Tame(const Value& v) {
  return Clamp(v, std::min(64.0, std::floor(std::sqrt(Limit(v.dtype()) / 2))));
}

Value Addable(Value value, int64_t count) {
  if (value.dtype().is_bool() || Limit(value.dtype()) < 2.0 * static_cast<double>(count)) {
    value =
        Convert(Tame(value), Signed(value.dtype()) && value.dtype().is_float() ? DataType::Float(32)
                                                                               : DataType::Int(32));
  }
  return Clamp(
      value,
      std::max(1.0, std::min(64.0, std::floor(Limit(value.dtype()) /
                                              static_cast<double>(std::max<int64_t>(count, 1))))));
}

Value RandomUnary(Random& random, Value v) {
  const DataType t = v.dtype();
  if (t.is_bool()) return random.Chance(50) ? Value{ir::LogicalNot(v.expr), 1} : v;
  v = Tame(v);
  switch (random.Below(9)) {
    case 0:
      return {v.expr + ir::Const(int64_t{1}, t), v.bound + 1};
    case 1:
      return {v.expr * ir::Const(int64_t{2}, t), v.bound * 2};
    case 2:
      return Signed(t) ? Value{ir::Const(int64_t{0}, t) - v.expr, v.bound} : v;
    case 3:
      return {ir::MakeSelect(v.expr > ir::Const(int64_t{1}, t), v.expr, ir::Const(int64_t{1}, t)),
              std::max(v.bound, 1.0)};
    case 4:
      if (!t.is_integral()) return v;
      return {ir::FloorDivide(v.expr, ir::Const(int64_t{3}, t)), v.bound};
    case 5:
      if (!t.is_integral()) return v;
      return {ir::FloorModulo(v.expr, ir::Const(int64_t{3}, t)), 3};
    case 6:
      if (!t.is_integral()) return v;
      return {ir::TruncDivide(v.expr, ir::Const(int64_t{2}, t)), v.bound};
    case 7:
      if (!t.is_integral()) return v;
      return {ir::TruncModulo(v.expr, ir::Const(int64_t{3}, t)), 3};
    default:
      return {v.expr * v.expr, v.bound * v.bound};
  }
}

Value RandomBinary(Random& random, Value a, Value b) {
  const DataType t = a.dtype();
  b = Convert(b, t);
  if (t.is_bool()) {
    switch (random.Below(3)) {
      case 0:
        return {ir::LogicalAnd(a.expr, b.expr), 1};
      case 1:
        return {ir::LogicalOr(a.expr, b.expr), 1};
      default:
        return {ir::NotEqual(a.expr, b.expr), 1};
    }
  }
  a = Tame(a);
  b = Tame(b);
  const double bound = std::max(a.bound, b.bound);
  switch (random.Below(7)) {
    case 0:
      return {a.expr + b.expr, a.bound + b.bound};
    case 1:
      return Signed(t) ? Value{a.expr - b.expr, a.bound + b.bound}
                       : Value{a.expr + b.expr, a.bound + b.bound};
    case 2:
      return {a.expr * b.expr, a.bound * b.bound};
    case 3:
      return {ir::MakeMin(a.expr, b.expr), bound};
    case 4:
      return {ir::MakeMax(a.expr, b.expr), bound};
    case 5:
      return {ir::MakeSelect(a.expr < b.expr, b.expr, a.expr), bound};
    default:
      return {ir::IfThenElse(ir::NotEqual(a.expr, b.expr), a.expr, ir::Const(int64_t{2}, t)),
              std::max(bound, 2.0)};
  }
}

}  // namespace lathe::prove
