// Reverse-mode differentiation of functions.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"

namespace lathe::graph {

// A function of the same inputs that returns (result, (gradient of each input)), like Relay's
// transform.gradient. The gradient of the result is 1 everywhere, so the gradients are those of the
// sum of its elements.
//
//   graph f(%x: float32[n]) {          graph f(%x: float32[n]) {
//     %y = tanh(%x)                      %y = tanh(%x)
//     return %y               -->        %0 = ones_like(%y)
//   }                                    ... %g = multiply(%0, ...)
//                                        %1 = (%g)
//                                        %2 = (%y, %1)
//                                        return %2
//                                      }
//
// The gradient of an input has its type; one without floating elements has zeros. Calls of closures
// and of functions of `module` are inlined, compositions expanded. Applied twice it gives second
// derivatives. Arms of ifs compute their values again for the gradient, and so do loops, which
// store what the gradient of a round reads (graph/reverse_loop.h).
//
// Throws Error "graph-no-gradient": all operators on the way that have none, with their counts and
// their first bindings; and "graph-gradient-loop". Pure and thread-safe.
GraphFuncRef Gradient(const GraphFuncRef& func, const ir::GraphModule& module = {});

// Why an operator has no gradient; "" if it has one, or needs none because its results are no
// floating tensors.
std::string WhyNoGradient(const OpDef& op);

}  // namespace lathe::graph
