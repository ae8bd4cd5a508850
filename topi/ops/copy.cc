#include "topi/ops/copy.h"

#include "topi/anchor.h"
#include "topi/ops/operands.h"

namespace lathe::topi::ops {

using ir::Expr;

static constexpr int64_t kMostInputs = 256;  // each element is compared with each input's columns

te::Tensor Transpose(const te::Tensor& x) {
  Operands("transpose").HaveRank({"x", x}, 2, 2, "2 (rows, columns)");
  return te::Compute({x->shape()[1], x->shape()[0]},
                     [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "y",
                     {.attrs = AnchorAttrs(kTranspose)});
}

te::Tensor ConcatColumns(const std::vector<te::Tensor>& inputs) {
  const Operands check("concat_columns");
  check.InRange("the number of inputs", static_cast<int64_t>(inputs.size()), 1, kMostInputs);
  for (const te::Tensor& x : inputs) {
    const Operand operand{x->op->name, x}, first{inputs[0]->op->name, inputs[0]};
    check.HaveRank(operand, 2, 2, "2 (rows, columns)");
    check.HaveOneType(first, operand);
    check.Agree(first, 0, operand, 0);
  }
  std::vector<Expr> begins = {ir::Int(0)};  // first column of each input, and the end
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
