// Gradients against finite differences: what the tests of gradients stand on.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"
#include "runtime/tensor.h"

namespace lathe::graph {

struct DifferenceOptions {
  uint64_t seed = 1;
  double step = 1e-6;
  // |a - b| <= tolerance * (1 + the sum of the magnitudes of what the gradient's product adds up)
  double tolerance = 1e-6;
  std::vector<size_t> constants = {};  // numbers of inputs that are not compared
  ir::GraphModule module = {};         // with the functions that `func` calls; may be null
};

// "" if, for each floating input, the gradient (graph/passes/gradient.h) gives the derivative in a
// random direction v of the sum of all floating results: the difference of the function at
// x + step v and x - step v. The function should compute in float64: the difference has the error
// of the function divided by the step, and one of step^2. Else a sentence that says what differs.
// All are computed by the interpreter. Throws what differentiating and interpreting throw.
std::string CompareWithDifferences(const GraphFuncRef& func,
                                   const std::vector<runtime::Tensor>& inputs,
                                   const DifferenceOptions& options = {});

// A tensor of numbers in [low, high]; integers include both.
runtime::Tensor RandomTensor(DataType dtype, const std::vector<int64_t>& shape, double low,
                             double high, uint64_t seed);
}  // namespace lathe::graph
