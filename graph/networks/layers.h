// Layers of networks for pictures, with random weights that have names.
#pragma once

#include <cstdint>
#include <string>

#include "graph/builder.h"
#include "graph/networks/weights.h"

namespace lathe::graph {

// A convolution with a square kernel, padded so that stride 1 keeps the size.
struct Conv {
  int64_t in = 1, out = 1, kernel = 1, stride = 1;
  int64_t groups = 1;
};

class Layers {
 public:
  Layers(Builder* builder, uint64_t seed) : b_(*builder), weights_(builder, seed) {}

  // The input `data`, float32[batch, 3, size, size].
  ir::GraphVar Picture(int64_t batch, int64_t size);
  // Without a bias.
  ir::GraphVar Convolution(const ir::GraphVar& x, const std::string& name, const Conv& conv);
  // Adds `name`.bias to each channel.
  ir::GraphVar Bias(const ir::GraphVar& x, const std::string& name, int64_t channels);
  ir::GraphVar Norm(const ir::GraphVar& x, const std::string& name, int64_t channels);
  // Convolution, then Norm.
  ir::GraphVar ConvNorm(const ir::GraphVar& x, const std::string& name, const Conv& conv);
  ir::GraphVar Relu(const ir::GraphVar& x) { return b_.Call("nn.relu", {x}); }
  ir::GraphVar Relu6(const ir::GraphVar& x);
  ir::GraphVar Add(const ir::GraphVar& x, const ir::GraphVar& y) { return b_.Call("add", {x, y}); }
  // `kind` is "max" or "avg".
  ir::GraphVar Pool(const ir::GraphVar& x, const std::string& kind, int64_t window, int64_t stride,
                    int64_t padding);
  // The mean of each channel, [batch, channels].
  ir::GraphVar Average(const ir::GraphVar& x);
  // [batch, in] -> [batch, out], with a bias.
  ir::GraphVar Classifier(const ir::GraphVar& x, const std::string& name, int64_t in, int64_t out);

 private:
  Builder& b_;
  RandomWeights weights_;
};

}  // namespace lathe::graph
