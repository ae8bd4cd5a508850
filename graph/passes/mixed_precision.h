// Products in a narrow floating type. Runs on request: it is no row of the table in pass.cc.
#pragma once

#include <set>
#include <string>

#include "graph/builder.h"

namespace lathe::graph {

struct MixedPrecision {
  DataType narrow = DataType::Float(16);  // float16 or bfloat16
  // Operators that are in none of the lists stay in float32. True: they are refused instead.
  bool refuse_unlisted = false;
  bool keep_results = false;  // results keep their types, whatever computed them
};

// Convolutions and products of float32 in the narrow type, with sums in float32, like Relay's
// transform.ToMixedPrecision.
//
//   %1 = nn.dense(%x, %w)        %a = cast(%x, dtype="float16")
//   %2 = nn.relu(%1)             %b = cast(%w, dtype="float16")
//   %3 = exp(%2)         -->     %c = nn.dense(%a, %b, out_dtype="float32")
//                                %1 = cast(%c, dtype="float16")
//                                %2 = nn.relu(%1)
//                                %d = cast(%2, dtype="float32")
//                                %3 = exp(%d)
//
// Operators of elements, maxima and moves follow if their operands are narrow. What loses too much
// stays in float32: exp, softmax, norms, sums. Values that leave a block of control flow, and what
// functions of the module are called with, keep their types, and so do the results of functions
// that others of `module` call. Other results that a product computed become narrow, unless
// `keep_results` is set.
//
// `unlisted`, if it is not null, gets the names of the operators that stayed in float32 because
// they are in no list. Throws Error "graph-precision". Pure and thread-safe.
GraphFuncRef ToMixedPrecision(const GraphFuncRef& func, const ir::GraphModule& module,
                              const MixedPrecision& wish,
                              std::set<std::string, std::less<>>* unlisted = nullptr);

}  // namespace lathe::graph
