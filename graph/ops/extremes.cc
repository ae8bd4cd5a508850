#include "graph/ops/extremes.h"

#include <utility>

#include "ir/expr.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

Expr NotANumber(const Expr& x) { return Fn(fn::kIsnan, {x}); }
// Is `x` a number that is known? Definitions have no constants that are NaN.
bool IsNumber(const Expr& x) { return ir::As<ir::FloatImm>(x) != nullptr; }

Expr Extreme(const Expr& a, const Expr& b, bool greater) {
  if (!a->dtype.is_float()) return greater ? ir::MakeMax(a, b) : ir::MakeMin(a, b);
  if (IsNumber(a)) return Extreme(b, a, greater);
  // A comparison with NaN is false, so the last operand is what stays NaN.
  if (IsNumber(b)) return ir::MakeSelect(greater ? a < b : b < a, b, a);
  return ir::MakeSelect(ir::LogicalOr(greater ? b < a : a < b, NotANumber(a)), a, b);
}

Expr Reduced(Expr value, std::vector<ir::IterVar> axis, Expr where, Expr init, bool greater) {
  const DataType type = value->dtype;
  if (!type.is_float()) {
    return greater ? te::Max(std::move(value), std::move(axis), std::move(where), std::move(init))
                   : te::Min(std::move(value), std::move(axis), std::move(where), std::move(init));
  }
  const ir::Reducer reducer =
      te::CustomReducer(greater ? "greatest" : "least", {type},
                        [greater](const std::vector<Expr>& a, const std::vector<Expr>& b) {
                          return std::vector<Expr>{Extreme(a[0], b[0], greater)};
                        },
                        {greater ? te::MinValue(type) : te::MaxValue(type)});
  std::vector<Expr> from;
  if (init) from.push_back(std::move(init));
  return te::ReduceWith(reducer, {std::move(value)}, std::move(axis), std::move(where),
                        std::move(from))[0];
}

std::vector<Expr> PlaceOf(Expr index, Expr value, std::vector<ir::IterVar> axis, Expr where,
                          bool greatest) {
  const DataType type = value->dtype;
  if (!type.is_float()) {
    return (greatest ? te::ArgMax : te::ArgMin)(std::move(index), std::move(value), std::move(axis),
                                                std::move(where));
  }
  const ir::Reducer reducer = te::CustomReducer(
      greatest ? "place_of_greatest" : "place_of_least", {index->dtype, type},
      [greatest](const std::vector<Expr>& a, const std::vector<Expr>& b) {
        const Expr better = greatest ? b[1] < a[1] : a[1] < b[1];
        // Neither is better, or both are NaN: the smaller index.
        const Expr equal = ir::LogicalOr(ir::Equal(a[1], b[1]),
                                         ir::LogicalAnd(NotANumber(a[1]), NotANumber(b[1])));
        const Expr first = ir::LogicalAnd(equal, a[0] < b[0]);
        const Expr only = ir::LogicalAnd(NotANumber(a[1]), ir::LogicalNot(NotANumber(b[1])));
        const Expr left = ir::LogicalOr(ir::LogicalOr(better, only), first);
        return std::vector<Expr>{ir::MakeSelect(left, a[0], b[0]),
                                 ir::MakeSelect(left, a[1], b[1])};
      },
      {te::MaxValue(index->dtype), greatest ? te::MinValue(type) : te::MaxValue(type)});
  return te::ReduceWith(reducer, {std::move(index), std::move(value)}, std::move(axis),
                        std::move(where));
}

}  // namespace

Expr Greater(const Expr& a, const Expr& b) { return Extreme(a, b, true); }
Expr Smaller(const Expr& a, const Expr& b) { return Extreme(a, b, false); }
Expr Between(const Expr& x, double low, double high) {
  return Smaller(Greater(x, Num(low, x->dtype)), Num(high, x->dtype));
}

Expr Greatest(Expr value, std::vector<ir::IterVar> axis, Expr where, Expr init) {
  return Reduced(std::move(value), std::move(axis), std::move(where), std::move(init), true);
}
Expr Least(Expr value, std::vector<ir::IterVar> axis, Expr where, Expr init) {
  return Reduced(std::move(value), std::move(axis), std::move(where), std::move(init), false);
}
std::vector<Expr> PlaceOfGreatest(Expr index, Expr value, std::vector<ir::IterVar> axis,
                                  Expr where) {
  return PlaceOf(std::move(index), std::move(value), std::move(axis), std::move(where), true);
}
std::vector<Expr> PlaceOfLeast(Expr index, Expr value, std::vector<ir::IterVar> axis, Expr where) {
  return PlaceOf(std::move(index), std::move(value), std::move(axis), std::move(where), false);
}

}  // namespace lathe::graph::ops
