// Operators that a program adds to Lathe's own while it runs.
#pragma once

#include "graph/op.h"

namespace lathe::graph {

// Adds an operator. From now on graphs may call it; FindOp and GetOp find it, AllOps does not list
// it. It stays until the process ends. `type` and `compute` may be called from several threads at
// once. Thread-safe. Throws Error "graph-operator-twice" if there is an operator of that name.
const OpDef& RegisterOp(OpDef op);

}  // namespace lathe::graph
