#include "graph/networks/layers.h"

#include <cmath>

namespace lathe::graph {

using ir::GraphVar;

GraphVar Layers::Picture(int64_t batch, int64_t size) {
  return b_.Input("data", DataType::Float(32), {Int64(batch), Int64(3), Int64(size), Int64(size)});
}

GraphVar Layers::Convolution(const GraphVar& x, const std::string& name, const Conv& conv) {
  // Keeps the variance of what passes through about the same [He et al., 2015].
  const int64_t summands = conv.in / conv.groups * conv.kernel * conv.kernel;
  const auto spread = static_cast<float>(std::sqrt(6.0 / static_cast<double>(summands)));
  const GraphVar weight = weights_.Make(
      name + ".weight", {conv.out, conv.in / conv.groups, conv.kernel, conv.kernel}, spread);
  return b_.Call("nn.conv2d", {x, weight},
                 {{"strides", IntsAttr({conv.stride, conv.stride})},
                  {"padding", IntsAttr({conv.kernel / 2, conv.kernel / 2})},
                  {"groups", IntAttr(conv.groups)},
                  {"channels", IntAttr(conv.out)},
                  {"kernel_size", IntsAttr({conv.kernel, conv.kernel})}});
}

GraphVar Layers::Bias(const GraphVar& x, const std::string& name, int64_t channels) {
  return b_.Call("nn.bias_add", {x, weights_.Make(name + ".bias", {channels}, 0.1f)});
}

GraphVar Layers::Norm(const GraphVar& x, const std::string& name, int64_t channels) {
  const GraphVar normed =
      b_.Call("nn.batch_norm", {x, weights_.Make(name + ".gamma", {channels}, 0.1f, 0.9f),
                                weights_.Make(name + ".beta", {channels}, 0.1f),
                                weights_.Make(name + ".mean", {channels}, 0.1f),
                                weights_.Make(name + ".variance", {channels}, 0.1f, 1.0f)});
  return b_.Get(normed, 0);
}

GraphVar Layers::ConvNorm(const GraphVar& x, const std::string& name, const Conv& conv) {
  return Norm(Convolution(x, name, conv), name, conv.out);
}

GraphVar Layers::Relu6(const GraphVar& x) {
  return b_.Call("clip", {x}, {{"a_min", FloatAttr(0)}, {"a_max", FloatAttr(6)}});
}

GraphVar Layers::Pool(const GraphVar& x, const std::string& kind, int64_t window, int64_t stride,
                      int64_t padding) {
  return b_.Call("nn." + kind + "_pool2d", {x},
                 {{"pool_size", IntsAttr({window, window})},
                  {"strides", IntsAttr({stride, stride})},
                  {"padding", IntsAttr({padding, padding})}});
}

GraphVar Layers::Average(const GraphVar& x) {
  return b_.Call("nn.batch_flatten", {b_.Call("nn.global_avg_pool2d", {x})});
}

GraphVar Layers::Classifier(const GraphVar& x, const std::string& name, int64_t in, int64_t out) {
  const auto spread = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  const GraphVar weight = weights_.Make(name + ".weight", {out, in}, spread);
  const GraphVar bias = weights_.Make(name + ".bias", {out}, spread);
  return b_.Call("nn.bias_add", {b_.Call("nn.dense", {x, weight}), bias});
}

}  // namespace lathe::graph
