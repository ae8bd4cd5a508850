// The gradient of a loop with carried values.
#pragma once

#include <vector>

#include "graph/reverse.h"

namespace lathe::graph {

struct LoopCotangents {
  std::vector<Cotangent> init;   // of the first values of what is carried
  std::vector<Cotangent> reads;  // of `reads`
};

// The gradients for the gradient `cotangent` of the loop's tuple. `reads` are what the loop's body
// reads from outside.
//
// The loop runs a second time and stores, for each round, those carried values that the gradient
// of the body reads; then a loop over the rounds from the last to the first carries the gradients:
//
//   (i, stored...) = (0, zeros); while (condition) stored[i] = carried, carried = body(), i = i + 1
//   (d, sums) = (cotangent, zeros); while (i > 0) i = i - 1, (d, sums) += gradient of body at i
//
// So the greatest number of rounds must be known (MostRounds): it is the extent of what is stored.
// Throws Error "graph-gradient-loop" if it is not.
LoopCotangents ReverseLoop(Builder& builder, const ir::GraphLoop& loop, const Cotangent& cotangent,
                           const std::vector<ir::GraphVar>& reads);

}  // namespace lathe::graph
