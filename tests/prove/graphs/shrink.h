// Makes a graph that fails smaller.
#pragma once

#include <functional>

#include "graph/builder.h"

namespace lathe::prove::graphs {

// Leaves out results, replaces values by inputs, by an argument or by one arm of an `if`, and sizes
// by numbers, as long as `fails` is true of what is left. Calls it at most `attempts` times.
graph::GraphFuncRef Shrink(graph::GraphFuncRef func,
                           const std::function<bool(const graph::GraphFuncRef&)>& fails,
                           int attempts = 1000);

// The number of bindings, those of nested blocks included.
size_t CountBindings(const ir::GraphBlock& block);

}  // namespace lathe::prove::graphs
