#include "topi/ops/elementwise.h"

#include <cmath>
#include <iterator>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;

constexpr double kTailEnd = 5.6;
constexpr double kTailRoot[] = {
    0.15016007079277813,   -0.0031380639914551954, -0.009525097205080903,  -0.000868498407057672,
    0.0005200564340116891, 8.838131673313716e-05,  -3.978463177693186e-05, 3.454099625686568e-06};

}  // namespace

te::Tensor Map(const te::Tensor& x, const std::function<Expr(const Expr&)>& map, std::string name) {
  return te::Compute(
      x->shape(), [&](const te::Indices& i) { return map(te::At(x, {i.begin(), i.end()})); },
      std::move(name));
}

ir::Expr Gelu(const ir::Expr& x) {
  const DataType dtype = x->dtype;
  const auto number = [&](double value) { return ir::Const(value, dtype); };
  if (dtype != DataType::Float(32)) {
    return number(0.5) * x *
           (number(1.0) +
            ir::CallIntrinsic(ir::intrinsic::kErf, {x * number(1.0 / std::sqrt(2.0))}));
  }
  // max(x, 0) - a t(a) with a = |x| and t(a) = 1 - Phi(a), the tail of the normal distribution. The
  // fourth root of t is smooth, and where the root is small its error has little effect on t. So a
  // short polynomial is enough for the root: (5.6 - a) q(a), which is exactly 0 from 5.6 on. q is a
  // weighted minimax fit of the fourth root on [0, 5.6], found by Lawson's iteration; |error of t|
  // < 2^-24.4.
  const Expr a = ir::MakeMin(ir::CallIntrinsic(ir::intrinsic::kAbs, {x}), number(kTailEnd));
  Expr q = number(kTailRoot[std::size(kTailRoot) - 1]);
  for (size_t i = std::size(kTailRoot) - 1; i-- > 0;) q = q * a + number(kTailRoot[i]);
  const Expr root = (number(kTailEnd) - a) * q;
  const Expr square = root * root;
  // Not MakeMax: NaN must stay NaN.
  const Expr positive = ir::MakeSelect(x < number(0.0), number(0.0), x);
  return positive - a * square * square;
}

}  // namespace lathe::topi::ops
