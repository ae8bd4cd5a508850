#include <algorithm>
#include <cmath>

#include "tests/prove/generator.h"

namespace lathe::prove {

using ir::Expr;
using ir::IterVar;
using te::Indices;

bool Generator::Stencil(const Source& from) {
  if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
  Note("stencil");
  const size_t d = random_.Below(from.dims.size());
  const bool two = random_.Chance(40);
  Map(from.dims, [&](const Indices& i) {
    Value sum;
    for (int64_t offset : {int64_t{-1}, two ? int64_t{2} : int64_t{1}}) {
      std::vector<Expr> at(i.begin(), i.end());
      at[d] = i[d] + offset;
      const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
      Value value = Tame(Read(from, at));
      value.expr = ir::IfThenElse(inside, value.expr, ir::Const(int64_t{0}, value.dtype()));
      sum = sum.expr ? Value{sum.expr + value.expr, sum.bound + value.bound} : value;
    }
    return sum;
  });
  return true;
}

bool Generator::Halo(const Source& from) {
  if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
  Note("halo");
  const size_t d = random_.Below(from.dims.size());
  Dims padded = from.dims;
  padded[d] = {from.dims[d].extent + 2, from.dims[d].most + 2};
  Map(padded, [&](const Indices& i) {
    std::vector<Expr> at(i.begin(), i.end());
    at[d] = i[d] - 1;
    const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
    Value value = Tame(Read(from, at));
    if (random_.Chance(50))
      return Value{ir::IfThenElse(inside, value.expr, ir::Const(int64_t{1}, value.dtype())),
                   value.bound};
    return Value{ir::MakeSelect(inside, value.expr, ir::Const(int64_t{1}, value.dtype())),
                 value.bound};
  });
  const Source middle = pool_.back();
  Map(from.dims, [&](const Indices& i) {
    Value sum;
    for (int64_t offset = 0; offset < 3; ++offset) {
      if (offset == 1 && random_.Chance(30)) continue;
      std::vector<Expr> at(i.begin(), i.end());
      at[d] = i[d] + offset;
      Value value =
          Clamp(Read(middle, at), std::min(64.0, std::floor(Limit(middle.tensor->dtype()) / 4)));
      sum = sum.expr ? Value{sum.expr + value.expr, sum.bound + value.bound} : value;
    }
    return sum;
  });
  return true;
}

// A filter over a new, larger input along one dimension; the tensor itself is padded with zeros.
bool Generator::Convolution(const Source& from) {
  if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
  Note("convolution");
  const size_t d = random_.Below(from.dims.size());
  const Dim width = NewSmall({1, 2, 3, 5});
  const Source filter = NewInput({width}, from.tensor->dtype());
  const IterVar k = te::ReduceAxis(Index(0), width.extent, "k");
  const int64_t stride = random_.Pick<int64_t>({1, 1, 2});
  Dims dims = from.dims;
  if (stride == 2)
    dims[d] = {ir::FloorDivide(from.dims[d].extent + 1, 2), (from.dims[d].most + 1) / 2};
  Map(dims, [&](const Indices& i) {
    std::vector<Expr> at(i.begin(), i.end());
    at[d] = i[d] * stride + k->var - 1;
    const Expr inside = ir::LogicalAnd(at[d] >= 0, at[d] < from.dims[d].extent);
    Value value = Read(from, at);
    value.expr = ir::IfThenElse(inside, value.expr, ir::Const(int64_t{0}, value.dtype()));
    value = Addable(value, 4 * width.most);
    const Value weight = Clamp(Convert(Read(filter, {k->var}), value.dtype()), 4);
    return Value{te::Sum(value.expr * weight.expr, {k}),
                 value.bound * weight.bound * static_cast<double>(width.most)};
  });
  return true;
}

}  // namespace lathe::prove
