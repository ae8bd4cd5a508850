// Random weights, the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace lathe::graph {

class RandomWeights {
 public:
  RandomWeights(Builder* builder, uint64_t seed) : builder_(*builder), state_(seed) {}
  // Evenly distributed in [centre - spread, centre + spread].
  ir::GraphVar Make(const std::string& name, const std::vector<int64_t>& shape, float spread,
                    float centre = 0);

 private:
  Builder& builder_;
  uint64_t state_;
};

}  // namespace lathe::graph
