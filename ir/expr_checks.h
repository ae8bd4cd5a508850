// Helpers of the functions that make expressions. Thread-safe; there is no state.
#pragma once

#include <string>

#include "base/error.h"
#include "ir/expr.h"

namespace lathe::ir::internal {

// Throws Error "type-mismatch".
[[noreturn]] inline void TypeMismatch(const std::string& message, const std::string& expected,
                                      const std::string& found) {
  throw Error(Diagnostic{.name = "type-mismatch",
                         .message = message,
                         .expected = expected,
                         .found = found,
                         .help = "insert a cast to one common type"});
}

// Returns `node` if CheckNode accepts it; otherwise throws Error "type-mismatch".
template <class T>
Ref<const T> Checked(Ref<T> node) {
  if (std::string problem = CheckNode(*node); !problem.empty()) {
    throw Error(Diagnostic{.name = "type-mismatch",
                           .message = std::string("cannot make a ") +
                                      NodeKindName(node->node_kind()) + " expression: " + problem,
                           .help = "insert a cast, or change the operands"});
  }
  return node;
}

// Brings both operands to one type: the wider integer, a float over an integer, a vector over a
// scalar. If both are of one class, a constant takes the type of the other operand if it fits, so
// that `x + 1` keeps the type of x. `what` names the operation in the error "type-mismatch".
void Promote(Expr& a, Expr& b, const char* what);

bool FitsInt(__int128 value, DataType t);

}  // namespace lathe::ir::internal
