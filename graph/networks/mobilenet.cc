#include "graph/networks/layers.h"
#include "graph/networks/networks.h"

namespace lathe::graph {

using ir::GraphVar;

GraphFuncRef MobileNetV2(int64_t batch, int64_t size, uint64_t seed) {
  struct Stage {
    int64_t expansion, channels;
    int repeats;
    int64_t stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  constexpr int64_t kLast = 1280;
  Builder b("main");
  Layers net(&b, seed);
  GraphVar x = net.Picture(batch, size);
  x = net.Relu6(net.ConvNorm(x, "conv0", {3, 32, 3, 2}));
  int64_t channels = 32;
  int block = 0;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      const std::string name = "block" + std::to_string(block++);
      const int64_t wide = channels * stage.expansion, stride = i == 0 ? stage.stride : 1;
      GraphVar y = x;
      if (stage.expansion != 1)
        y = net.Relu6(net.ConvNorm(y, name + ".expand", {channels, wide, 1}));
      y = net.Relu6(net.ConvNorm(y, name + ".depthwise", {wide, wide, 3, stride, wide}));
      y = net.ConvNorm(y, name + ".project", {wide, stage.channels, 1});
      x = stride == 1 && channels == stage.channels ? net.Add(x, y) : y;
      channels = stage.channels;
    }
  }
  x = net.Average(net.Relu6(net.ConvNorm(x, "last", {channels, kLast, 1})));
  return b.Finish(net.Classifier(x, "classifier", kLast, 1000));
}

}  // namespace lathe::graph
