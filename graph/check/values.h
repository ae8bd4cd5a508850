// Values of graphs: random inputs, results with a little noise, and differences. What compares a
// graph before and after a pass, or compiled and interpreted, stands on it. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/interpreter/interpreter.h"

namespace lathe::graph {

using Values = std::vector<GraphValue>;
using Tensors = std::vector<runtime::Tensor>;

// An input for each parameter of a typed function, with these values for its sizes, in their order.
// Floats lie in [-1, 1], signed integers in [-7, 7], others in [0, 7].
Values RandomInputs(const ir::GraphFunc& func, const std::vector<int64_t>& sizes, uint64_t seed);

// The tensors of a result; tuples are flat.
Tensors TensorsOf(const GraphValue& value);

// Calls a typed function by the interpreter. `module` has the functions that it invokes; it may be
// null.
Tensors Interpreted(const GraphFuncRef& func, const Values& inputs,
                    const ir::GraphModule& module = {});

// The results for inputs, constants and values between that are all changed by some units in the
// last place, several times with other changes. Where a result depends on the last digits (a sum
// that cancels, an index of a largest element, a rounding), these results differ much from each
// other.
std::vector<Tensors> Noisy(const GraphFuncRef& func, const Values& inputs, uint64_t seed,
                           const ir::GraphModule& module = {});

// "" if `found` is what was expected: integers equal, floats nearly. `noisy` is called when they
// are not: elements may differ as much as the noisy results do.
std::string Difference(const Tensors& found, const Tensors& expected,
                       const std::function<std::vector<Tensors>()>& noisy);

// What must hold of the sizes of a function (TypeResult::assumptions), nested blocks included.
std::vector<SizeAssumption> AssumptionsOf(const ir::GraphFunc& func);

}  // namespace lathe::graph
