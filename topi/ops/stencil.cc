#include "topi/ops/stencil.h"

#include <string>

#include "topi/anchor.h"
#include "topi/ops/operands.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;

constexpr int64_t kMostBlurs = 64;

te::Tensor Blur(const te::Tensor& x, const std::string& name, ir::Dict attrs) {
  const auto row = [&](const Expr& i, const Expr& j) {
    return te::At(x, {i, j}) + te::At(x, {i, j + 1}) + te::At(x, {i, j + 2});
  };
  return te::Compute({x->shape()[0] - 2, x->shape()[1] - 2},
                     [&](const te::Indices& i) {
                       return (row(i[0], i[1]) + row(i[0] + 1, i[1]) + row(i[0] + 2, i[1])) *
                              ir::Const(1.0 / 9, x->dtype());
                     },
                     name, {.attrs = std::move(attrs), .axis_names = {"i", "j"}});
}

}  // namespace

te::Tensor BoxBlurs(const te::Tensor& x, int64_t blurs) {
  const Operands check("box_blurs");
  check.HaveRank({"x", x}, 2, 2, "2 (height, width)");
  check.AreFloats({"x", x});
  check.InRange("blurs", blurs, 1, kMostBlurs);
  for (const int d : {0, 1}) {
    if (const int64_t* extent = ir::AsConstInt(x->shape()[static_cast<size_t>(d)]))
      check.InRange(d == 0 ? "height" : "width", *extent, 2 * blurs, INT32_MAX);
  }
  te::Tensor y = x;
  for (int64_t k = 1; k < blurs; ++k) {
    const std::string name = "blur" + std::to_string(k);
    y = Blur(y, name, PartAttrs(kBoxBlurs, name));
  }
  return Blur(y, "y", AnchorAttrs(kBoxBlurs));
}

}  // namespace lathe::topi::ops
