// Index expressions in 64 bits.
#pragma once

#include <vector>

#include "ir/expr.h"

namespace lathe::lower {

struct WideIndex {
  ir::Expr value;               // int64: the expression in exact arithmetic
  std::vector<ir::Expr> parts;  // its sums, differences and products that int32 may not hold
};

// An integer expression with its int32 arithmetic done in int64; loads, calls and variables inside
// are cast. Shared nodes are processed once.
WideIndex Widen(const ir::Expr& index);

}  // namespace lathe::lower
