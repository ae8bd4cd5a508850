// Random typed graphs, for tests [compare: Liu et al., NNSmith, 2023].
#pragma once

#include <cstdint>

#include "graph/builder.h"

namespace lathe::graph {

struct RandomGraphOptions {
  int least_operators = 2, most_operators = 40;
  bool control_flow = false;  // ifs, loops and closures, too
};

// A function of some tensors of float32, whose first dimension may be the size `n`. It has shared
// values, tuples, constants, views, reductions, products and convolutions; elements stay small, so
// that results can be compared with a tolerance. Depends on the seed only.
GraphFuncRef RandomGraph(uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace lathe::graph
