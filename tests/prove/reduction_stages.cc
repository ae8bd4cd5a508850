#include <algorithm>
#include <cmath>

#include "tests/prove/generator.h"

namespace lathe::prove {

using ir::Expr;
using ir::IterVar;
using ir::Tensor;
using te::Indices;

Generator::Axes Generator::ChooseAxes(const Source& from) {
  Axes out;
  out.at.resize(from.dims.size());
  std::vector<size_t> order;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (random_.Chance(45) || (d + 1 == from.dims.size() && order.empty()))
      order.push_back(d);
    else
      out.kept.push_back(d);
  }
  for (size_t d : out.kept) out.dims.push_back(from.dims[d]);
  random_.Shuffle(order);
  for (size_t d : order) {
    const int64_t min = random_.Chance(15) ? 3 : 0;
    IterVar axis = te::ReduceAxis(Index(min), from.dims[d].extent, "r" + std::to_string(d));
    out.axes.push_back(axis);
    out.at[d] = axis->var - min;
    out.count *= from.dims[d].most;
  }
  if (!out.kept.empty() && random_.Chance(20)) {
    Note("dependent range");
    out.dependent = random_.Chance(50) ? Axes::Dependent::kMore : Axes::Dependent::kFewer;
  }
  return out;
}

std::vector<IterVar> Generator::AxesOf(const Axes& axes, const Indices& i) {
  std::vector<IterVar> out = axes.axes;
  if (axes.dependent == Axes::Dependent::kNo) return out;
  const ir::Range& whole = out[0]->domain;
  const Expr at = ir::MakeCast(whole->extent->dtype, i.back());
  const ir::Range part = axes.dependent == Axes::Dependent::kMore
                             ? ir::MakeRange(whole->min, ir::MakeMin(at, whole->extent))
                             : ir::MakeRange(whole->min + at, whole->extent - at);
  out[0] = ir::MakeIterVar(part, out[0]->var, out[0]->iter_kind);
  return out;
}

std::vector<Expr> Generator::Fill(const Axes& axes, const Indices& i) {
  std::vector<Expr> at = axes.at;
  for (size_t k = 0; k < axes.kept.size(); ++k) at[axes.kept[k]] = i[k];
  return at;
}

Expr Generator::Where(const Axes& axes) {
  if (!random_.Chance(30)) return {};
  Note("where");
  const Expr at = random_.Pick(axes.axes)->var;
  return random_.Chance(50) ? ir::Equal(ir::FloorModulo(at, 2), Index(0)) : at >= 1;
}

bool Generator::Reduction(const Source& from) {
  if (from.dims.empty()) return false;
  Note("reduction");
  const Axes axes = ChooseAxes(from);
  const size_t kind = random_.Below(6);
  const Expr where = Where(axes);
  const bool with_init = random_.Chance(15);
  Map(axes.dims, [&](const Indices& i) {
    const std::vector<IterVar> over = AxesOf(axes, i);
    Value value = Read(from, Fill(axes, i));
    if (value.dtype().is_bool()) {
      if (kind < 2) return Value{te::All(value.expr, over, where), 1};
      if (kind < 4) return Value{te::Any(value.expr, over, where), 1};
    }
    if (kind == 0) {
      if (value.dtype().is_bool()) value = Convert(value, DataType::Int(32));
      const bool small = std::pow(2.0, static_cast<double>(axes.count)) <= Limit(value.dtype());
      value = Clamp(value, small ? 2 : 1);
      return Value{te::Prod(value.expr, over, where),
                   small ? std::pow(2.0, static_cast<double>(axes.count)) : 1};
    }
    if (kind == 1 || kind == 2) {
      if (value.dtype().is_bool()) value = Convert(value, DataType::Int(32));
      const Expr init = with_init ? ir::Const(int64_t{1}, value.dtype()) : Expr();
      // A reduction over no elements gives the end of the type's range.
      return kind == 1 ? Value{te::Min(value.expr, over, where, init), kUnknown}
                       : Value{te::Max(value.expr, over, where, init), kUnknown};
    }
    value = Addable(value, axes.count + 1);
    const Expr init = with_init ? ir::Const(int64_t{1}, value.dtype()) : Expr();
    return Value{te::Sum(value.expr, over, where, init),
                 value.bound * static_cast<double>(axes.count) + 1};
  });
  return true;
}

// Puts the value before its number. If members read values that are already overwritten, the number
// is chosen by the new value (S14).
static ir::Reducer Exchanged(const ir::ReducerNode& pair) {
  auto exchanged = [](auto list) {
    std::reverse(list.begin(), list.end());
    return list;
  };
  return ir::MakeReducer("value_first", exchanged(pair.lhs), exchanged(pair.rhs),
                         exchanged(pair.result), exchanged(pair.identity));
}

bool Generator::ArgReduction(const Source& from) {
  if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
  Note("argmax");
  const Axes axes = ChooseAxes(from);
  const Expr where = Where(axes);
  const bool least = random_.Chance(50), value_first = random_.Chance(40);
  std::vector<Tensor> out = te::ComputeTuple(
      ShapeOf(axes.dims),
      [&](const Indices& i) {
        const std::vector<IterVar> over = AxesOf(axes, i);
        Expr number = Index(0);
        for (const IterVar& axis : over) number = number * 32 + axis->var;
        const Expr value = Read(from, Fill(axes, i)).expr;
        if (value_first) {
          const ir::Reducer named = least ? te::ArgMinReducer(number->dtype, value->dtype)
                                          : te::ArgMaxReducer(number->dtype, value->dtype);
          return te::ReduceWith(Exchanged(*named), {value, number}, over, where);
        }
        return least ? te::ArgMin(number, value, over, where)
                     : te::ArgMax(number, value, over, where);
      },
      NextName());
  Push(out[0], axes.dims, kUnknown);
  Push(out[1], axes.dims, kUnknown);
  return true;
}

bool Generator::Matmul(const Source& from) {
  if (from.dims.empty() || from.dims.size() > 3 || big_) return false;
  Note("matmul");
  const Dim depth = from.dims.back();
  const Dim width = NewSmall({1, 3, 4, 8, 9, 16, 17});
  const Source weights = NewInput({depth, width}, from.tensor->dtype());
  Dims dims(from.dims.begin(), from.dims.end() - 1);
  dims.push_back(width);
  const IterVar k = te::ReduceAxis(Index(0), depth.extent, "k");
  Map(dims, [&](const Indices& i) {
    std::vector<Expr> at(i.begin(), i.end() - 1);
    at.push_back(k->var);
    const Value a = Addable(Read(from, at), 4 * depth.most);
    const Value b = Clamp(Convert(Read(weights, {k->var, i.back()}), a.dtype()), 4);
    const Value left = Clamp(
        a, std::max(1.0, std::floor(Limit(a.dtype()) / (4.0 * static_cast<double>(std::max<int64_t>(
                                                                  depth.most, 1))))));
    return Value{te::Sum(left.expr * b.expr, {k}),
                 left.bound * b.bound * static_cast<double>(depth.most)};
  });
  return true;
}

}  // namespace lathe::prove
