#include "topi/ops/copy.h"

#include "topi/anchor.h"

namespace lathe::topi::ops {

using ir::Expr;

te::Tensor Transpose(const te::Tensor& x) {
  return te::Compute({x->shape()[1], x->shape()[0]},
                     [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "y",
                     {.attrs = AnchorAttrs(kTranspose)});
}

te::Tensor ConcatColumns(const std::vector<te::Tensor>& inputs) {
  std::vector<Expr> begins = {ir::Int(0)};  // of each input's columns, and the end
  for (const te::Tensor& x : inputs) begins.push_back(begins.back() + x->shape()[1]);
  return te::Compute({inputs.front()->shape()[0], begins.back()},
                     [&](const te::Indices& i) {
                       Expr out;
                       for (size_t k = inputs.size(); k-- > 0;) {
                         const Expr element = te::At(inputs[k], {i[0], i[1] - begins[k]});
                         out = !out ? element : ir::IfThenElse(i[1] >= begins[k + 1], out, element);
                       }
                       return out;
                     },
                     "y", {.attrs = AnchorAttrs(kConcatColumns)});
}

}  // namespace lathe::topi::ops
