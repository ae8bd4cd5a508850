#include "base/error.h"
#include "graph/networks/layers.h"
#include "graph/networks/networks.h"

namespace lathe::graph {

using ir::GraphVar;

GraphFuncRef DenseNet(int depth, int64_t batch, int64_t size, uint64_t seed) {
  std::vector<int> repeats;
  if (depth == 121) repeats = {6, 12, 24, 16};
  if (depth == 169) repeats = {6, 12, 32, 32};
  if (repeats.empty()) {
    throw Error(Diagnostic{.name = "network-unknown",
                           .message = "there is no DenseNet of this depth here",
                           .expected = "121 or 169",
                           .found = std::to_string(depth)});
  }
  constexpr int64_t kGrowth = 32;
  Builder b("main");
  Layers net(&b, seed);
  GraphVar x = net.Picture(batch, size);
  x = net.Relu(net.ConvNorm(x, "conv0", {3, 64, 7, 2}));
  x = net.Pool(x, "max", 3, 2, 1);
  int64_t channels = 64;
  const auto norm_relu_conv = [&](const GraphVar& of, const std::string& name, const Conv& conv) {
    return net.Convolution(net.Relu(net.Norm(of, name, conv.in)), name, conv);
  };
  for (size_t stage = 0; stage < repeats.size(); ++stage) {
    const std::string block = "block" + std::to_string(stage + 1);
    for (int i = 0; i < repeats[stage]; ++i) {
      const std::string name = block + ".layer" + std::to_string(i);
      GraphVar y = norm_relu_conv(x, name + ".conv1", {channels, 4 * kGrowth, 1});
      y = norm_relu_conv(y, name + ".conv2", {4 * kGrowth, kGrowth, 3});
      x = b.Call("concatenate", {x, y}, {{"axis", IntAttr(1)}});
      channels += kGrowth;
    }
    if (stage + 1 == repeats.size()) break;
    x = norm_relu_conv(x, block + ".transition", {channels, channels / 2, 1});
    x = net.Pool(x, "avg", 2, 2, 0);
    channels /= 2;
  }
  x = net.Average(net.Relu(net.Norm(x, "norm5", channels)));
  return b.Finish(net.Classifier(x, "classifier", channels, 1000));
}

}  // namespace lathe::graph
