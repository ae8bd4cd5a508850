// Extents of graphs and of te programs.
//
// Graphs have extents of 64 bits. In te programs sizes are 32-bit arguments, because index
// arithmetic of 64 bits costs vector lanes; the executor checks that they fit.
#pragma once

#include <string>

#include "ir/expr.h"

namespace lathe::graph {

// The same extent in 32-bit arithmetic: casts from int32 to int64 vanish. `expr` itself if a number
// does not fit, or if it has a variable of 64 bits.
ir::Expr Narrow(const ir::Expr& expr);

// "784", "n // 2".
std::string ExtentText(const ir::Expr& extent);

// Can it be proved that both are equal?
bool SameExtent(const ir::Expr& a, const ir::Expr& b);

}  // namespace lathe::graph
