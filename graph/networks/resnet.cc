#include <cmath>

#include "base/error.h"
#include "graph/networks/networks.h"
#include "graph/networks/weights.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

class Net {
 public:
  Net(Builder* builder, uint64_t seed) : b_(*builder), weights_(builder, seed) {}

  // Convolution without bias, then batch normalisation.
  GraphVar ConvNorm(const GraphVar& x, const std::string& name, int64_t in, int64_t out,
                    int64_t kernel, int64_t stride) {
    // Keeps the variance of what passes through about the same [He et al., 2015].
    const auto spread =
        static_cast<float>(std::sqrt(6.0 / static_cast<double>(in * kernel * kernel)));
    const GraphVar weight = weights_.Make(name + ".weight", {out, in, kernel, kernel}, spread);
    const GraphVar y = b_.Call("nn.conv2d", {x, weight},
                               {{"strides", IntsAttr({stride, stride})},
                                {"padding", IntsAttr({kernel / 2, kernel / 2})},
                                {"channels", IntAttr(out)},
                                {"kernel_size", IntsAttr({kernel, kernel})}});
    const GraphVar normed =
        b_.Call("nn.batch_norm", {y, weights_.Make(name + ".gamma", {out}, 0.1f, 0.9f),
                                  weights_.Make(name + ".beta", {out}, 0.1f),
                                  weights_.Make(name + ".mean", {out}, 0.1f),
                                  weights_.Make(name + ".variance", {out}, 0.1f, 1.0f)});
    return b_.Get(normed, 0);
  }
  GraphVar Relu(const GraphVar& x) { return b_.Call("nn.relu", {x}); }

  GraphVar Block(const GraphVar& x, const std::string& name, int64_t in, int64_t width,
                 int64_t stride, bool bottleneck) {
    const int64_t out = bottleneck ? 4 * width : width;
    GraphVar y;
    if (bottleneck) {
      y = Relu(ConvNorm(x, name + ".conv1", in, width, 1, 1));
      y = Relu(ConvNorm(y, name + ".conv2", width, width, 3, stride));
      y = ConvNorm(y, name + ".conv3", width, out, 1, 1);
    } else {
      y = Relu(ConvNorm(x, name + ".conv1", in, width, 3, stride));
      y = ConvNorm(y, name + ".conv2", width, width, 3, 1);
    }
    const bool project = in != out || stride != 1;
    const GraphVar shortcut = project ? ConvNorm(x, name + ".project", in, out, 1, stride) : x;
    return Relu(b_.Call("add", {y, shortcut}));
  }

  GraphVar Classifier(const GraphVar& x, int64_t in, int64_t classes) {
    const GraphVar pooled = b_.Call("nn.batch_flatten", {b_.Call("nn.global_avg_pool2d", {x})});
    const auto spread = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
    const GraphVar weight = weights_.Make("classifier.weight", {classes, in}, spread);
    const GraphVar bias = weights_.Make("classifier.bias", {classes}, spread);
    return b_.Call("nn.bias_add", {b_.Call("nn.dense", {pooled, weight}), bias});
  }

 private:
  Builder& b_;
  RandomWeights weights_;
};

}  // namespace

GraphFuncRef ResNet(int depth, int64_t batch, int64_t size, uint64_t seed) {
  std::vector<int> repeats;
  if (depth == 18) repeats = {2, 2, 2, 2};
  if (depth == 34 || depth == 50) repeats = {3, 4, 6, 3};
  if (depth == 101) repeats = {3, 4, 23, 3};
  if (repeats.empty()) {
    throw Error(Diagnostic{.name = "network-unknown",
                           .message = "there is no ResNet of this depth here",
                           .expected = "18, 34, 50 or 101",
                           .found = std::to_string(depth)});
  }
  const bool bottleneck = depth >= 50;
  Builder b("main");
  Net net(&b, seed);
  GraphVar x =
      b.Input("data", DataType::Float(32), {Int64(batch), Int64(3), Int64(size), Int64(size)});
  x = net.Relu(net.ConvNorm(x, "conv0", 3, 64, 7, 2));
  x = b.Call("nn.max_pool2d", {x},
             {{"pool_size", IntsAttr({3, 3})},
              {"strides", IntsAttr({2, 2})},
              {"padding", IntsAttr({1, 1})}});
  int64_t channels = 64;
  for (size_t stage = 0; stage < repeats.size(); ++stage) {
    const int64_t width = int64_t{64} << stage;
    for (int i = 0; i < repeats[stage]; ++i) {
      const std::string name = "stage" + std::to_string(stage + 1) + ".block" + std::to_string(i);
      x = net.Block(x, name, channels, width, i == 0 && stage > 0 ? 2 : 1, bottleneck);
      channels = bottleneck ? 4 * width : width;
    }
  }
  return b.Finish(net.Classifier(x, channels, 1000));
}

}  // namespace lathe::graph
