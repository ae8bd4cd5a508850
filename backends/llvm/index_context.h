// Where an expression says a place in memory or a number of iterations. Such arithmetic never
// overflows (lower/narrow.h has chosen types that hold it), and LLVM is told so: it then widens an
// index once and adds the rest as offsets of addresses. Sums that are data may wrap.
#pragma once

#include <unordered_set>

#include "ir/stmt.h"
#include "ir/walk.h"

namespace lathe::llvm_backend {

// Is the child that is met over `edge` such an expression, whatever its parent is?
bool StartsIndexContext(const ir::Edge& edge);
// Is it one if its parent is?
bool KeepsIndexContext(const ir::Edge& edge);

// The variables that lets within `body` define and that are used in such places only, other such
// variables' values included.
std::unordered_set<const ir::Node*> IndexOnlyVars(const ir::Stmt& body);

}  // namespace lathe::llvm_backend
