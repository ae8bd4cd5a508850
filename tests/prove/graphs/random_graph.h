// Random typed graphs [compare: Liu et al., NNSmith, 2023].
//
// Operators come from the table of operators: an example of the operator (OpDef::examples) is
// fitted to values of the graph, and the operator's own type rule decides whether the call is
// legal. Beside them stand pieces of networks, for which the passes were written (convolutions with
// bias, scale and residual sum, products, weights made of constants), and control flow.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "graph/builder.h"

namespace lathe::prove::graphs {

struct RandomGraphOptions {
  int least_operators = 2, most_operators = 40;
};

// A graph with what is worth counting in it: operators by name, and "loop", "if", "closure",
// "symbolic", "empty", ...
struct RandomGraph {
  graph::GraphFuncRef func;
  std::map<std::string, int64_t> features;
};

// A function `main` of some tensors, with up to two symbolic sizes. Depends on the seed only.
RandomGraph MakeRandomGraph(uint64_t seed, const RandomGraphOptions& options = {});

// Sizes of a function that are tried with it: for each set, a value for each of `count` sizes.
std::vector<std::vector<int64_t>> SizeSets(size_t count);

}  // namespace lathe::prove::graphs
