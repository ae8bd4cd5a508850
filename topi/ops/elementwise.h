// Elementwise operators, for tensors of any shape.
#pragma once

#include <functional>
#include <string>

#include "te/operation.h"

namespace lathe::topi::ops {

// y[i, ...] = map(x[i, ...]).
te::Tensor Map(const te::Tensor& x, const std::function<ir::Expr(const ir::Expr&)>& map,
               std::string name = "y");

// x/2 (1 + erf(x / sqrt 2)), the Gaussian error linear unit. For float32 it is an approximation
// whose error is at most kGeluError |x|. (The formula with erf, if erf is good to 1.34 units in the
// last place, has 1.1e-7 |x|.) Other types use the formula. NaN gives NaN, inf gives inf, -inf and
// all values below -5.6 give 0.
inline constexpr double kGeluError = 3.6e-7;
ir::Expr Gelu(const ir::Expr& x);

}  // namespace lathe::topi::ops
