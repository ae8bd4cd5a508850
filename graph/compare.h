// Runs a graph compiled and interpreted, and compares: what the tests of passes and plans stand on.
#pragma once

#include <string>

#include "graph/build.h"

namespace lathe::graph {

struct CompareOptions {
  uint64_t seed = 1;  // of the inputs
  // The value of each symbolic size of the function, in order; the last one holds for all further
  // ones.
  std::vector<int64_t> sizes = {5};
  double tolerance = 1e-4;  // |a - b| <= tolerance * (1 + |b|)
  GraphBuildOptions build;
  ir::GraphModule module = {};  // typed, with the functions that `func` calls; may be null
};

// "" if the compiled function gives what the interpreter gives for random inputs; else a sentence
// that says which element of which result differs. Floating inputs lie in [-1, 1], integers in
// [0, 7]. Throws what compiling and interpreting throw.
std::string CompareWithInterpreter(const GraphFuncRef& func, const CompareOptions& options = {});

}  // namespace lathe::graph
