// Expressions that may be evaluated where the program does not.
#pragma once

#include "ir/expr.h"

namespace lathe::lower {

// Can `e` be evaluated earlier than in the program, or though the program would not, as long as its
// variables are defined? It has no effect, reads no memory, and does not divide by an extent that
// may be 0 (S50).
bool IsMovable(const ir::Expr& e);

}  // namespace lathe::lower
