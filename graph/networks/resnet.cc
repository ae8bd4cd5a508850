#include "base/error.h"
#include "graph/networks/layers.h"
#include "graph/networks/networks.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

GraphVar Block(Layers& net, const GraphVar& x, const std::string& name, int64_t in, int64_t width,
               int64_t stride, bool bottleneck) {
  const int64_t out = bottleneck ? 4 * width : width;
  GraphVar y;
  if (bottleneck) {
    y = net.Relu(net.ConvNorm(x, name + ".conv1", {in, width, 1}));
    y = net.Relu(net.ConvNorm(y, name + ".conv2", {width, width, 3, stride}));
    y = net.ConvNorm(y, name + ".conv3", {width, out, 1});
  } else {
    y = net.Relu(net.ConvNorm(x, name + ".conv1", {in, width, 3, stride}));
    y = net.ConvNorm(y, name + ".conv2", {width, width, 3});
  }
  const bool project = in != out || stride != 1;
  const GraphVar shortcut = project ? net.ConvNorm(x, name + ".project", {in, out, 1, stride}) : x;
  return net.Relu(net.Add(y, shortcut));
}

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
  Layers net(&b, seed);
  GraphVar x = net.Picture(batch, size);
  x = net.Relu(net.ConvNorm(x, "conv0", {3, 64, 7, 2}));
  x = net.Pool(x, "max", 3, 2, 1);
  int64_t channels = 64;
  for (size_t stage = 0; stage < repeats.size(); ++stage) {
    const int64_t width = int64_t{64} << stage;
    for (int i = 0; i < repeats[stage]; ++i) {
      const std::string name = "stage" + std::to_string(stage + 1) + ".block" + std::to_string(i);
      x = Block(net, x, name, channels, width, i == 0 && stage > 0 ? 2 : 1, bottleneck);
      channels = bottleneck ? 4 * width : width;
    }
  }
  return b.Finish(net.Classifier(net.Average(x), "classifier", channels, 1000));
}

}  // namespace lathe::graph
