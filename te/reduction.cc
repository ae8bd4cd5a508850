#include "base/error.h"
#include "ir/reducers.h"
#include "te/operation.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The standard reducer `name`.
Reducer Known(const char* name, const std::vector<DataType>& types) {
  if (Reducer reducer = NamedReducer(name, types)) return reducer;
  std::string found;
  for (const DataType& type : types) found += (found.empty() ? "" : ", ") + type.ToString();
  throw Error(Diagnostic{.name = "reducer-type",
                         .message = std::string(name) + " does not combine values of this type",
                         .expected = types.size() == 2
                                         ? "a scalar integer index and a scalar number"
                                         : "scalar numbers; all and any: bool",
                         .found = found,
                         .help = "cast the values, or make a reducer with CustomReducer"});
}

Expr One(Reducer reducer, Expr value, std::vector<IterVar> axis, Expr where, Expr init) {
  std::vector<Expr> inits;
  if (init) inits.push_back(std::move(init));
  return ReduceWith(std::move(reducer), {std::move(value)}, std::move(axis), std::move(where),
                    std::move(inits))[0];
}

}  // namespace

Expr MinValue(DataType dtype) {
  return dtype.is_bool() ? Bool(false) : MaxReducer(dtype)->identity[0];
}
Expr MaxValue(DataType dtype) {
  return dtype.is_bool() ? Bool(true) : MinReducer(dtype)->identity[0];
}

Reducer SumReducer(DataType dtype) { return Known("sum", {dtype}); }
Reducer ProdReducer(DataType dtype) { return Known("prod", {dtype}); }
Reducer MinReducer(DataType dtype) { return Known("min", {dtype}); }
Reducer MaxReducer(DataType dtype) { return Known("max", {dtype}); }
Reducer AllReducer() { return Known("all", {DataType::Bool()}); }
Reducer AnyReducer() { return Known("any", {DataType::Bool()}); }
Reducer ArgMinReducer(DataType index, DataType value) { return Known("argmin", {index, value}); }
Reducer ArgMaxReducer(DataType index, DataType value) { return Known("argmax", {index, value}); }

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
