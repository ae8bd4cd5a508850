// Convolutions, products of matrices, and norms of convolutional networks.
#include "graph/import/tensorflow/products.h"

#include <algorithm>

#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow/windows.h"

namespace lathe::graph::tensorflow {

GraphVar MultiplyMatrices(const NodeContext& n) {
  return n.Call("nn.matmul", {n.In(0), n.In(1)},
                {{"transpose_a", BoolAttr(n.Flag("transpose_a"))},
                 {"transpose_b", BoolAttr(n.Flag("transpose_b"))}});
}

GraphVar Convolve(const NodeContext& n, size_t rank) {
  const Layout layout = LayoutOf(n, rank);
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  if (filter.size() != rank + 2) n.Fail("has a wrong filter", "", TypeText(n.In(1)->type));
  const std::vector<int64_t> kernel(filter.begin(), filter.end() - 2);
  const Window window = WindowOf(n, n.In(0), layout, kernel);
  const int64_t* channels = ir::AsConstInt(Maker::ShapeOf(n.In(0))[layout.channels]);
  if (channels == nullptr || filter[rank] < 1 || *channels % filter[rank] != 0) {
    n.Fail("has an image whose channels do not fit its filter", std::to_string(filter[rank]),
           TypeText(n.In(0)->type));
  }
  return n.Call("nn.conv" + std::to_string(rank) + "d", {n.In(0), n.In(1)},
                {{"strides", IntsAttr(window.strides)},
                 {"padding", IntsAttr(window.padding)},
                 {"dilation", IntsAttr(window.dilations)},
                 {"groups", IntAttr(*channels / filter[rank])},
                 {"kernel_size", IntsAttr(kernel)},
                 {"data_layout", StringAttr(layout.letters)},
                 {"kernel_layout", StringAttr(layout.space + "IO")}});
}

GraphVar ConvolveDepthwise(const NodeContext& n) {
  const Layout layout = LayoutOf(n, 2);
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  if (filter.size() != 4) n.Fail("has a wrong filter", "4 dimensions", TypeText(n.In(1)->type));
  const std::vector<int64_t> kernel{filter[0], filter[1]};
  const Window window = WindowOf(n, n.In(0), layout, kernel);
  const GraphVar weight =
      n.Reshape(n.In(1), AsExtents({filter[0], filter[1], filter[2] * filter[3], 1}));
  return n.Call("nn.conv2d", {n.In(0), weight},
                {{"strides", IntsAttr(window.strides)},
                 {"padding", IntsAttr(window.padding)},
                 {"dilation", IntsAttr(window.dilations)},
                 {"groups", IntAttr(filter[2])},
                 {"kernel_size", IntsAttr(kernel)},
                 {"data_layout", StringAttr(layout.letters)},
                 {"kernel_layout", StringAttr("HWOI")}});
}

int64_t ChannelAxis(const NodeContext& n, const GraphVar& x) {
  return n.String("data_format", "NHWC").starts_with("NC") ? 1 : Maker::RankOf(x) - 1;
}

void CheckInference(const NodeContext& n) {
  if (!n.Flag("is_training", true)) return;
  n.Fail("computes statistics of its batch, as in training", "is_training=False", "True",
         "freeze the model for inference");
}

GraphVar Normalise(const NodeContext& n, const GraphVar& x, size_t first) {
  const GraphVar all = n.Call(
      "nn.batch_norm", {x, n.In(first), n.In(first + 1), n.In(first + 2), n.In(first + 3)},
      {{"axis", IntAttr(ChannelAxis(n, x))}, {"epsilon", FloatAttr(n.Float("epsilon", 1e-4F))}});
  return ir::As<ir::TupleType>(all->type) == nullptr ? all : n.Field(all, 0, n.name());
}

namespace {

// The last two dimensions exchanged.
GraphVar Turned(const NodeContext& n, const GraphVar& m, bool turn) {
  const int64_t rank = Maker::RankOf(m);
  if (!turn) return m;
  if (rank < 2) n.Fail("has an operand that is no matrix", "2 dimensions", TypeText(m->type));
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) axes[static_cast<size_t>(d)] = d;
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return n.Transpose(m, axes);
}

Results BatchMatMul(NodeContext& n) {
  return {
      n.Call("matmul", {Turned(n, n.In(0), n.Flag("adj_x")), Turned(n, n.In(1), n.Flag("adj_y"))})};
}

Results Einsum(NodeContext& n) {
  return {n.Call("einsum", n.All(), {{"equation", StringAttr(n.String("equation", ""))}})};
}

Results MatMul(NodeContext& n) { return {MultiplyMatrices(n)}; }

Converter Convolution(size_t rank) {
  return [rank](NodeContext& n) -> Results { return {Convolve(n, rank)}; };
}

Results DepthwiseConvolution(NodeContext& n) { return {ConvolveDepthwise(n)}; }

// The gradient of a convolution: inputs are the shape of its image, the filter [space..., filters,
// channels], and the image of the other side.
Converter TransposedConvolution(size_t rank) {
  return [rank](NodeContext& n) -> Results {
    const Layout layout = LayoutOf(n, rank);
    const GraphVar x = n.In(2);
    const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
    const std::vector<Expr> wanted = n.Extents(0, "input_sizes");
    if (filter.size() != rank + 2 || wanted.size() != rank + 2 ||
        Maker::RankOf(x) != static_cast<int64_t>(rank) + 2) {
      n.Fail("has inputs of the wrong rank", std::to_string(rank + 2), TypeText(x->type));
    }
    const std::string padding = n.String("padding", "VALID");
    if (padding == "EXPLICIT") n.Fail("has explicit padding", "SAME or VALID", padding);
    const std::vector<int64_t> kernel(filter.begin(), filter.end() - 2);
    const Window window = WindowOf(n, x, layout, kernel, /*with_frame=*/false);
    std::vector<int64_t> frame(2 * rank, 0), more(rank, 0);
    for (size_t d = 0; d < rank; ++d) {
      const size_t at = layout.first + d;
      const int64_t *in = ir::AsConstInt(Maker::ShapeOf(x)[at]), *out = ir::AsConstInt(wanted[at]);
      if (in == nullptr || out == nullptr || *out < 1) {
        n.Fail("needs images of a known size", "numbers", TypeText(x->type));
      }
      const int64_t full =
          (*in - 1) * window.strides[d] + (kernel[d] - 1) * window.dilations[d] + 1;
      const int64_t total = std::max<int64_t>(full - *out, 0);
      frame[d] = padding == "SAME" ? total / 2 : 0;
      frame[d + rank] = total - frame[d];
      more[d] = std::max<int64_t>(*out - full, 0);
    }
    return {n.Call("nn.conv" + std::to_string(rank) + "d_transpose", {x, n.In(1)},
                   {{"strides", IntsAttr(window.strides)},
                    {"padding", IntsAttr(frame)},
                    {"dilation", IntsAttr(window.dilations)},
                    {"kernel_size", IntsAttr(kernel)},
                    {"output_padding", IntsAttr(more)},
                    {"data_layout", StringAttr(layout.letters)},
                    {"kernel_layout", StringAttr(layout.space + "OI")}})};
  };
}

Results BatchNorm(NodeContext& n) {
  CheckInference(n);
  const GraphVar y = Normalise(n, n.In(0), 1);
  return {y, n.In(3), n.In(4), n.In(3), n.In(4), n.In(4)};
}

Results LocalResponse(NodeContext& n) {
  const int64_t radius = n.Int("depth_radius", 5);
  if (radius < 0) n.Fail("has a negative radius", "0 and more", std::to_string(radius));
  const int64_t size = 2 * radius + 1;
  return {n.Call("nn.lrn", {n.In(0)},
                 {{"size", IntAttr(size)},
                  {"axis", IntAttr(Maker::RankOf(n.In(0)) - 1)},
                  {"bias", FloatAttr(n.Float("bias", 1))},
                  {"alpha", FloatAttr(n.Float("alpha", 1) * static_cast<double>(size))},
                  {"beta", FloatAttr(n.Float("beta", 0.5))}})};
}

}  // namespace

std::vector<Conversion> Products() {
  const std::vector<std::string> norm{
      "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"};
  return {
      {"MatMul", MatMul},
      {"BatchMatMul", BatchMatMul},
      {"BatchMatMulV2", BatchMatMul},
      {"BatchMatMulV3", BatchMatMul},
      {"Einsum", Einsum},
      {"Conv2D", Convolution(2)},
      {"Conv3D", Convolution(3)},
      {"DepthwiseConv2dNative", DepthwiseConvolution},
      {"Conv2DBackpropInput", TransposedConvolution(2)},
      {"Conv3DBackpropInputV2", TransposedConvolution(3)},
      {"FusedBatchNorm", BatchNorm, norm},
      {"FusedBatchNormV2", BatchNorm, norm},
      {"FusedBatchNormV3", BatchNorm, norm},
      {"LRN", LocalResponse},
  };
}

}  // namespace lathe::graph::tensorflow
