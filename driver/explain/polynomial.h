// Amounts of symbolic sizes, multiplied out. Internal to driver/explain.
#pragma once

#include <optional>

#include "ir/expr.h"

namespace lathe::driver {

// An int64 expression as a sum of products, each factor once, like terms added up: n * 4 * n * 2 +
// n * n becomes n * n * 9. What is no sum, difference or product (a quotient, a minimum) is a
// factor as it stands. `value` itself where there would be more than 32 terms.
ir::Expr MultipliedOut(const ir::Expr& value);

// a / b where that is the same number for all sizes.
std::optional<double> ConstantRatio(const ir::Expr& a, const ir::Expr& b);

}  // namespace lathe::driver
