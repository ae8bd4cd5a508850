// Expands amounts of symbolic sizes into polynomials. Internal to driver/explain.
#pragma once

#include <optional>

#include "ir/expr.h"

namespace lathe::driver {

// Expands an int64 expression into a sum of products and combines like terms: n * 4 * n * 2 + n * n
// becomes n * n * 9. Any subexpression that is not a sum, difference or product (a quotient, a
// minimum) counts as one factor. Returns `value` itself if there would be more than 32 terms.
ir::Expr MultipliedOut(const ir::Expr& value);

// a / b, if that is the same number for all sizes.
std::optional<double> ConstantRatio(const ir::Expr& a, const ir::Expr& b);

}  // namespace lathe::driver
