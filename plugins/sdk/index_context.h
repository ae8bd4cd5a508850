// Finds expressions that give a position in memory or a number of iterations. Such arithmetic never
// overflows (lower/narrow.h has chosen types that hold it), and code generators say so:
// LLVM then widens an index once and adds the other terms as address offsets, and C needs no
// unsigned arithmetic. Sums that are data may wrap.
#pragma once

#include <unordered_set>

#include "ir/stmt.h"
#include "ir/walk.h"

namespace lathe::sdk {

// True if the child reached over `edge` is such an expression, whatever its parent is.
bool StartsIndexContext(const ir::Edge& edge);

// The variables that lets within `body` define and that are used in such expressions only. A use in
// the value of another such variable counts, too.
std::unordered_set<const ir::Node*> IndexOnlyVars(const ir::Stmt& body);

}  // namespace lathe::sdk
