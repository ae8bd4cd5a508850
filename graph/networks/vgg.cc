#include "base/error.h"
#include "graph/networks/layers.h"
#include "graph/networks/networks.h"

namespace lathe::graph {

using ir::GraphVar;

GraphFuncRef Vgg(int depth, int64_t batch, int64_t size, uint64_t seed) {
  std::vector<int> repeats;
  if (depth == 11) repeats = {1, 1, 2, 2, 2};
  if (depth == 13) repeats = {2, 2, 2, 2, 2};
  if (depth == 16) repeats = {2, 2, 3, 3, 3};
  if (depth == 19) repeats = {2, 2, 4, 4, 4};
  if (repeats.empty()) {
    throw Error(Diagnostic{.name = "network-unknown",
                           .message = "there is no VGG of this depth here",
                           .expected = "11, 13, 16 or 19",
                           .found = std::to_string(depth)});
  }
  Builder b("main");
  Layers net(&b, seed);
  GraphVar x = net.Picture(batch, size);
  int64_t channels = 3;
  for (size_t stage = 0; stage < repeats.size(); ++stage) {
    const int64_t width = stage < 3 ? int64_t{64} << stage : 512;
    for (int i = 0; i < repeats[stage]; ++i) {
      const std::string name = "conv" + std::to_string(stage + 1) + "_" + std::to_string(i + 1);
      x = net.Bias(net.Convolution(x, name, {channels, width, 3}), name, width);
      x = net.Relu(x);
      channels = width;
    }
    x = net.Pool(x, "max", 2, 2, 0);
  }
  x = b.Call("nn.batch_flatten", {x});
  const int64_t side = size / 32;
  x = net.Relu(net.Classifier(x, "dense6", channels * side * side, 4096));
  x = net.Relu(net.Classifier(x, "dense7", 4096, 4096));
  return b.Finish(net.Classifier(x, "dense8", 4096, 1000));
}

}  // namespace lathe::graph
