// Well-known networks with random weights, built in code: for tests, benchmarks and first steps.
//
// The weights depend on `seed` only. Each weight is a constant with a name, so trained ones can
// replace it.
#pragma once

#include <cstdint>

#include "graph/builder.h"

namespace lathe::graph {

// ResNet-18, -34 (basic blocks) or -50, -101 (bottlenecks) [He et al., Deep Residual Learning,
// 2015; stride in the 3x3 convolution]. Input `data`: float32[batch, 3, size, size]; the result is
// float32[batch, 1000], before softmax. Throws Error "network-unknown" for another depth.
GraphFuncRef ResNet(int depth, int64_t batch = 1, int64_t size = 224, uint64_t seed = 1);

struct BertConfig {
  int64_t layers = 12, hidden = 768, heads = 12, intermediate = 3072, vocabulary = 30522,
          positions = 512;
};
// The encoder of BERT [Devlin et al., 2018], for one sequence of any length. Inputs: `tokens`,
// int32[1, n], and `mask`, float32[1, n] (1: a token, 0: padding). The result is float32[1, n,
// hidden].
GraphFuncRef Bert(const BertConfig& config = {}, uint64_t seed = 1);

}  // namespace lathe::graph
