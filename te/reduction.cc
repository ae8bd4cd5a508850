#include <limits>

#include "base/error.h"
#include "base/float_formats.h"
#include "te/operation.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// For formats without infinities: walk down from the largest bit pattern to the first number.
double LargestFinite(DataType dtype) {
  for (uint64_t bits = dtype.code() == kDLFloat8_e8m0fnu ? 0xff : 0x7f;; --bits) {
    const double value = DecodeFloat(bits, dtype);
    if (value == value) return value;
  }
}

// A reducer of one value.
Reducer Simple(const char* name, DataType dtype, Expr identity,
               const std::function<Expr(Expr, Expr)>& combine) {
  Var x = MakeVar("x", dtype), y = MakeVar("y", dtype);
  return MakeReducer(name, {x}, {y}, {combine(x, y)}, {std::move(identity)});
}

Expr One(Reducer reducer, Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  std::vector<Expr> inits;
  if (init) inits.push_back(std::move(init));
  return ReduceWith(std::move(reducer), {std::move(value)}, std::move(axis), std::move(where),
                    std::move(inits))[0];
}

Reducer ArgReducer(const char* name, DataType index, DataType value, bool want_max) {
  Var li = MakeVar("lhs_index", index), lv = MakeVar("lhs", value);
  Var ri = MakeVar("rhs_index", index), rv = MakeVar("rhs", value);
  // Ties go to the smaller index, so that the result does not depend on the order of combination.
  const Expr better = want_max ? Expr(lv) > Expr(rv) : Expr(lv) < Expr(rv);
  const Expr left = LogicalOr(better, LogicalAnd(Equal(lv, rv), Expr(li) <= Expr(ri)));
  return MakeReducer(name, {li, lv}, {ri, rv}, {MakeSelect(left, li, ri), MakeSelect(left, lv, rv)},
                     {MaxValue(index), want_max ? MinValue(value) : MaxValue(value)});
}

}  // namespace

Expr MinValue(DataType dtype) {
  if (dtype.is_float()) {
    const double low = RoundToType(-std::numeric_limits<double>::infinity(), dtype);
    if (low == low) return Float(low, dtype);
    return Float(-LargestFinite(dtype), dtype);
  }
  if (dtype.is_bool()) return Bool(false);
  if (dtype.is_uint()) return Int(0, dtype);
  return Int(dtype.bits() == 64 ? std::numeric_limits<int64_t>::min()
                                : -(int64_t{1} << (dtype.bits() - 1)),
             dtype);
}

Expr MaxValue(DataType dtype) {
  if (dtype.is_float()) {
    const double high = RoundToType(std::numeric_limits<double>::infinity(), dtype);
    if (high == high) return Float(high, dtype);
    return Float(LargestFinite(dtype), dtype);
  }
  if (dtype.is_bool()) return Bool(true);
  if (dtype.is_uint())
    return Int(dtype.bits() == 64 ? -1 : (int64_t{1} << dtype.bits()) - 1, dtype);
  return Int(dtype.bits() == 64 ? std::numeric_limits<int64_t>::max()
                                : (int64_t{1} << (dtype.bits() - 1)) - 1,
             dtype);
}

Reducer SumReducer(DataType dtype) {
  return Simple("sum", dtype, Const(0, dtype), [](Expr x, Expr y) { return x + y; });
}
Reducer ProdReducer(DataType dtype) {
  return Simple("prod", dtype, Const(1, dtype), [](Expr x, Expr y) { return x * y; });
}
Reducer MinReducer(DataType dtype) {
  return Simple("min", dtype, MaxValue(dtype), [](Expr x, Expr y) { return MakeMin(x, y); });
}
Reducer MaxReducer(DataType dtype) {
  return Simple("max", dtype, MinValue(dtype), [](Expr x, Expr y) { return MakeMax(x, y); });
}
Reducer AllReducer() {
  return Simple("all", DataType::Bool(), Bool(true),
                [](Expr x, Expr y) { return LogicalAnd(x, y); });
}
Reducer AnyReducer() {
  return Simple("any", DataType::Bool(), Bool(false),
                [](Expr x, Expr y) { return LogicalOr(x, y); });
}
Reducer ArgMinReducer(DataType index, DataType value) {
  return ArgReducer("argmin", index, value, false);
}
Reducer ArgMaxReducer(DataType index, DataType value) {
  return ArgReducer("argmax", index, value, true);
}

Reducer CustomReducer(std::string name, std::vector<DataType> dtypes,
                      const std::function<std::vector<Expr>(const std::vector<Expr>&,
                                                            const std::vector<Expr>&)>& combine,
                      std::vector<Expr> identity) {
  std::vector<Var> lhs, rhs;
  std::vector<Expr> left, right;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    lhs.push_back(MakeVar("x" + std::to_string(i), dtypes[i]));
    rhs.push_back(MakeVar("y" + std::to_string(i), dtypes[i]));
    left.emplace_back(lhs.back());
    right.emplace_back(rhs.back());
  }
  return MakeReducer(std::move(name), std::move(lhs), std::move(rhs), combine(left, right),
                     std::move(identity));
}

IterVar ReduceAxis(Expr min, Expr extent, std::string name) {
  Range domain = MakeRange(std::move(min), std::move(extent));
  Var v = MakeVar(std::move(name), domain->extent->dtype);
  return MakeIterVar(std::move(domain), std::move(v), IterKind::kReduce);
}

std::vector<Expr> ReduceWith(Reducer reducer, std::vector<Expr> values, std::vector<IterVar> axis,
                             Expr where, std::vector<Expr> init) {
  for (const IterVar& a : axis) {
    if (a->iter_kind != IterKind::kReduce) {
      throw Error(Diagnostic{.name = "not-a-reduce-axis",
                             .message = "`" + a->var->name + "` is not a reduction axis",
                             .expected = "an axis made by reduce_axis",
                             .found = IterVarNode::kIterKindNames[static_cast<int>(a->iter_kind)] +
                                      std::string(" axis"),
                             .help = "declare it with reduce_axis((min, max), name)"});
    }
  }
  std::vector<Expr> out;
  for (size_t i = 0; i < values.size(); ++i) {
    out.push_back(MakeReduce(reducer, values, axis, where, static_cast<int64_t>(i), init));
  }
  return out;
}

Expr Sum(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  const DataType t = value->dtype;
  return One(SumReducer(t), std::move(value), std::move(axis), std::move(where), std::move(init));
}
Expr Prod(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  const DataType t = value->dtype;
  return One(ProdReducer(t), std::move(value), std::move(axis), std::move(where), std::move(init));
}
Expr Min(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  const DataType t = value->dtype;
  return One(MinReducer(t), std::move(value), std::move(axis), std::move(where), std::move(init));
}
Expr Max(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  const DataType t = value->dtype;
  return One(MaxReducer(t), std::move(value), std::move(axis), std::move(where), std::move(init));
}
Expr All(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  return One(AllReducer(), MakeCast(DataType::Bool(), std::move(value)), std::move(axis),
             std::move(where), std::move(init));
}
Expr Any(Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  return One(AnyReducer(), MakeCast(DataType::Bool(), std::move(value)), std::move(axis),
             std::move(where), std::move(init));
}
std::vector<Expr> ArgMin(Expr index, Expr value, std::vector<IterVar> axis, Expr where) {
  Reducer reducer = ArgMinReducer(index->dtype, value->dtype);
  return ReduceWith(std::move(reducer), {std::move(index), std::move(value)}, std::move(axis),
                    std::move(where));
}
std::vector<Expr> ArgMax(Expr index, Expr value, std::vector<IterVar> axis, Expr where) {
  Reducer reducer = ArgMaxReducer(index->dtype, value->dtype);
  return ReduceWith(std::move(reducer), {std::move(index), std::move(value)}, std::move(axis),
                    std::move(where));
}

}  // namespace lathe::te
