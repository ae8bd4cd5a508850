// Types and shapes of graphs.
//
// Every variable gets its type from the operators' definitions (OpDef::type), in one pass over the
// bindings. Extents are expressions over the function's sizes, compared by arithmetic. Values of
// small integer tensors are followed, too, so that a shape that the graph computes can be used.
//
// Throws Error "graph-type" and those of TypeOfCall; the wrong binding is a note. Thread-safe.
#pragma once

#include "graph/builder.h"

namespace lathe::graph {

// The function with all types. `module` has the functions that it calls; it may be null.
GraphFuncRef InferTypes(const ir::GraphFunc& func, const ir::GraphModule& module = {});

// All functions, in their order. A function that calls a later one needs that one's result type in
// the text (recursion its own).
ir::GraphModule InferTypes(const ir::GraphModule& module);

}  // namespace lathe::graph
