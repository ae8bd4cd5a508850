// Shapes in messages.
#pragma once

#include <string>
#include <vector>

#include "ir/expr.h"

namespace lathe::te {

// `[4, 2]`; an extent that is no number is `?`.
std::string ShapeText(const std::vector<ir::Expr>& shape);

}  // namespace lathe::te
