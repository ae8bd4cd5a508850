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

// VGG-11, -13, -16 or -19 [Simonyan and Zisserman, 2014]. Inputs, result and errors as for ResNet;
// `size` is a multiple of 32.
GraphFuncRef Vgg(int depth, int64_t batch = 1, int64_t size = 224, uint64_t seed = 1);
// DenseNet-121 or -169 [Huang et al., 2016]. Inputs, result and errors as for ResNet.
GraphFuncRef DenseNet(int depth, int64_t batch = 1, int64_t size = 224, uint64_t seed = 1);
// MobileNetV2 [Sandler et al., 2018]. Inputs and result as for ResNet.
GraphFuncRef MobileNetV2(int64_t batch = 1, int64_t size = 224, uint64_t seed = 1);

// One layer of long short-term memory [Hochreiter and Schmidhuber, 1997], a loop over any number of
// steps. Input `data`: float32[n, batch, hidden]; the result is the last state, float32[batch,
// hidden].
GraphFuncRef Lstm(int64_t hidden, int64_t batch = 1, uint64_t seed = 1);

struct BertConfig {
  int64_t layers = 12, hidden = 768, heads = 12, intermediate = 3072, vocabulary = 30522,
          positions = 512;
  int64_t tokens = 0;  // 0: any number, the size `n`
};
// The encoder of BERT [Devlin et al., 2018], for one sequence. Inputs: `tokens`,
// int32[1, n], and `mask`, float32[1, n] (1: a token, 0: padding). The result is float32[1, n,
// hidden].
GraphFuncRef Bert(const BertConfig& config = {}, uint64_t seed = 1);

}  // namespace lathe::graph
