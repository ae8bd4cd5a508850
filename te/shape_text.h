// Shapes as text, for messages.
#pragma once

#include <string>
#include <vector>

#include "ir/expr.h"

namespace lathe::te {

// `[4, 2]`. An extent that is not a constant becomes `?`.
std::string ShapeText(const std::vector<ir::Expr>& shape);

}  // namespace lathe::te
