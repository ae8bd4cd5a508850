// Pools.
#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow/windows.h"

namespace lathe::graph::tensorflow {
namespace {

Converter Pool(const std::string& op, size_t rank) {
  return [op, rank](NodeContext& n) -> Results {
    const Layout layout = LayoutOf(n, rank);
    const std::vector<int64_t> kernel = OfSpace(n, "ksize", layout);
    const Window window = WindowOf(n, n.In(0), layout, kernel);
    return {n.Call(op + std::to_string(rank) + "d", {n.In(0)},
                   {{"pool_size", IntsAttr(kernel)},
                    {"strides", IntsAttr(window.strides)},
                    {"padding", IntsAttr(window.padding)},
                    {"layout", StringAttr(layout.letters)}})};
  };
}

}  // namespace

std::vector<Conversion> Pools() {
  return {{"MaxPool", Pool("nn.max_pool", 2)},
          {"AvgPool", Pool("nn.avg_pool", 2)},
          {"MaxPool3D", Pool("nn.max_pool", 3)},
          {"AvgPool3D", Pool("nn.avg_pool", 3)}};
}

}  // namespace lathe::graph::tensorflow
