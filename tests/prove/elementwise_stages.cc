#include <algorithm>

#include "te/tags.h"
#include "tests/prove/generator.h"

namespace lathe::prove {

using ir::Expr;
using ir::Tensor;
using ir::Var;
using te::At;
using te::Indices;

void Generator::Elementwise(const Source& from) {
  Note("elementwise");
  Map(from.dims,
      [&](const Indices& i) { return Finishing(from.dims, i, Read(from, {i.begin(), i.end()})); });
}

bool Generator::Permuted(const Source& from) {
  if (from.dims.empty()) return false;
  Note("permuted");
  std::vector<size_t> order;
  for (size_t d = 0; d < from.dims.size(); ++d) order.push_back(d);
  random_.Shuffle(order);
  const size_t reversed = random_.Below(from.dims.size() * 2);
  Dims dims;
  for (size_t d : order) dims.push_back(from.dims[d]);
  Map(dims, [&](const Indices& i) {
    std::vector<Expr> at(order.size());
    for (size_t d = 0; d < order.size(); ++d) at[order[d]] = i[d];
    if (reversed < at.size()) at[reversed] = from.dims[reversed].extent - 1 - at[reversed];
    return Finishing(dims, i, Read(from, at));
  });
  return true;
}

bool Generator::Reshaped(const Source& from) {
  if (from.dims.size() < 2 || !IsConstant(from.dims.back()) || from.dims.back().most == 0)
    return false;
  Note("reshaped");
  const int64_t inner = from.dims.back().most;
  Dims dims(from.dims.begin(), from.dims.end() - 2);
  const Dim outer = from.dims[from.dims.size() - 2];
  dims.push_back({outer.extent * inner, outer.most * inner});
  Map(
      dims,
      [&](const Indices& i) {
        std::vector<Expr> at(i.begin(), i.end() - 1);
        at.push_back(ir::FloorDivide(i.back(), inner));
        at.push_back(ir::FloorModulo(i.back(), inner));
        return Finishing(dims, i, Read(from, at));
      },
      random_.Chance(60) ? te::kInjective : "");
  return true;
}

bool Generator::Gather(const Source& from) {
  if (from.dims.empty() || from.dims[0].most == 0) return false;
  Note("gather");
  const size_t d = random_.Below(from.dims.size());
  const Source numbers = NewInput({from.dims[d]}, DataType::Int(32));
  Map(from.dims, [&](const Indices& i) {
    std::vector<Expr> at(i.begin(), i.end());
    Expr number = ir::MakeCast(index_type(), At(numbers.tensor, {i[d]}));
    if (wide_index_) number = Scattered(number, from.dims[d]);
    at[d] = ir::MakeMax(ir::MakeMin(number, from.dims[d].extent - 1), Index(0));
    return Read(from, at);
  });
  return true;
}

bool Generator::Pair(const Source& from) {
  Note("two outputs");
  double first = 0, second = 0;
  std::vector<Tensor> out = te::ComputeTuple(
      ShapeOf(from.dims),
      [&](const Indices& i) {
        const Value value = Read(from, {i.begin(), i.end()});
        const Value a = RandomUnary(random_, value);
        const Value b = Convert(RandomBinary(random_, value, a), AnyType(random_));
        first = a.bound;
        second = b.bound;
        return std::vector<Expr>{a.expr, b.expr};
      },
      NextName());
  Push(out[0], from.dims, first);
  Push(out[1], from.dims, second);
  return true;
}

bool Generator::Extern(const Source& from) {
  if (from.dims.empty() || from.tensor->dtype().is_bool()) return false;
  Note("extern");
  std::vector<Tensor> out = te::Extern(
      {ShapeOf(from.dims)}, {from.tensor->dtype()}, {from.tensor},
      [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& results) {
        std::vector<Var> vars;
        std::vector<Expr> indices;
        for (size_t d = 0; d < from.dims.size(); ++d) {
          vars.push_back(ir::MakeVar("x" + std::to_string(d), index_type()));
          indices.emplace_back(vars.back());
        }
        const Expr value =
            ir::MakeMax(ir::MakeLoad(in[0], indices), ir::Const(int64_t{1}, from.tensor->dtype()));
        ir::Stmt body = ir::MakeStore(results[0], value, indices);
        for (size_t d = vars.size(); d-- > 0;)
          body = ir::MakeFor(vars[d], Index(0), from.dims[d].extent, ir::ForKind::kSerial, body);
        return body;
      },
      NextName());
  Push(out[0], from.dims, std::max(from.bound, 1.0));
  return true;
}

}  // namespace lathe::prove
