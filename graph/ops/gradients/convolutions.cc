// Gradients of convolutions, transposed convolutions, and windows as columns.
//
// The gradient of the data is a transposed convolution of the result's gradient. That of the
// weight is a convolution, too: the samples take the place of the channels, the result's gradient
// is the window, and stride and dilation change places. All is done in the layouts NCHW and OIHW.
#include "graph/ops/gradients/formula.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {
namespace {

// `x` with its dimensions in the order of `to`, which has the same letters as `from`.
Value InLayout(const Value& x, const std::string& from, const std::string& to) {
  std::vector<int64_t> axes;
  for (const char letter : to) axes.push_back(static_cast<int64_t>(from.find(letter)));
  return Transpose(x, std::move(axes));
}

// What a call of a convolution or a transposed one says.
struct ConvCall {
  ConvCall(const GradientContext& c, size_t rank)
      : rank(rank),
        data_layout(c.attrs.String("data_layout")),
        kernel_layout(c.attrs.String("kernel_layout")),
        plain("NC" + SpaceLetters(rank)),
        groups(c.attrs.Int("groups")) {
    const auto spread = [&](const char* name) {
      std::vector<int64_t> values = c.attrs.Ints(name);
      if (values.size() == 1) values.resize(rank, values[0]);
      return values;
    };
    strides = spread("strides");
    dilation = spread("dilation");
    padding = c.attrs.Ints("padding");
    if (padding.size() == 1) padding.resize(2 * rank, padding[0]);
    if (padding.size() == rank) padding.insert(padding.end(), padding.begin(), padding.end());
  }
  ir::Dict Attrs() const {
    return {{"strides", IntsAttr(strides)},
            {"padding", IntsAttr(padding)},
            {"dilation", IntsAttr(dilation)},
            {"groups", IntAttr(groups)}};
  }
  std::string Name(bool transposed) const {
    return "nn.conv" + std::to_string(rank) + (transposed ? "d_transpose" : "d");
  }

  size_t rank;
  std::string data_layout, kernel_layout, plain;
  std::vector<int64_t> strides, dilation, padding;
  int64_t groups;
};

// The gradient of a convolution's weight [O, I, space...], from the data [N, C, ...] and the
// gradient of the result [N, O, ...]. (Of a transposed convolution, data and result change places.)
Value WeightGradient(const ConvCall& call, const Value& data, const Value& g, const Shape& weight) {
  const int64_t groups = call.groups;
  const auto split = [&](const Value& x) {
    // [N, groups, channels of a group, space...]
    Shape shape = x.shape();
    const Expr channels = ir::FloorDivide(shape[1], groups);
    shape[1] = Int64(groups);
    shape.insert(shape.begin() + 2, channels);
    return Reshape(x, std::move(shape));
  };
  const auto moved = [&](const Value& x, const std::vector<int64_t>& front, size_t merged) {
    std::vector<int64_t> axes = front;
    for (size_t d = 0; d < call.rank; ++d) axes.push_back(static_cast<int64_t>(d) + 3);
    const Value y = Transpose(x, axes);
    Shape shape = y.shape();
    shape[merged] = shape[merged] * shape[merged + 1];
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(merged) + 1);
    return Reshape(y, std::move(shape));
  };
  // Samples are the channels: [I, groups N, ...] and [groups O, N, ...].
  const Value samples = moved(split(data), {2, 1, 0}, 1);
  const Value windows = moved(split(g), {1, 2, 0}, 0);
  const Value sums = Apply(call.Name(false), {samples, windows},
                           {{"strides", IntsAttr(call.dilation)},
                            {"padding", IntsAttr(call.padding)},
                            {"dilation", IntsAttr(call.strides)},
                            {"groups", IntAttr(groups)}});
  std::vector<int64_t> axes{1, 0};
  for (size_t d = 0; d < call.rank; ++d) axes.push_back(static_cast<int64_t>(d) + 2);
  // Places behind the window belong to data that no window reached.
  return Corner(Transpose(sums, axes), weight);
}

Vars Conv(const GradientContext& c, size_t rank) {
  const ConvCall call(c, rank);
  const std::string plain_kernel = "OI" + SpaceLetters(rank);
  const Value g = InLayout(G(c), call.data_layout, call.plain);
  const Value data = Cast(InLayout(X(c, 0), call.data_layout, call.plain), g.dtype());
  const Value weight = Cast(InLayout(X(c, 1), call.kernel_layout, plain_kernel), g.dtype());
  Vars out(2);
  if (c.wanted[0]) {
    // The result is at most a stride shorter than it could be: what that has more is cut off.
    std::vector<int64_t> more;
    for (const int64_t stride : call.strides) more.push_back(stride - 1);
    ir::Dict attrs = call.Attrs();
    attrs["output_padding"] = IntsAttr(more);
    const Value full = Apply(call.Name(true), {g, weight}, attrs);
    out[0] = InLayout(Corner(full, data.shape()), call.plain, call.data_layout);
  }
  if (c.wanted[1]) {
    out[1] =
        InLayout(WeightGradient(call, data, g, weight.shape()), plain_kernel, call.kernel_layout);
  }
  return out;
}

Vars TransposedConv(const GradientContext& c, size_t rank) {
  const ConvCall call(c, rank);
  // The channels of the transposed convolution's data are the filters of a convolution.
  const std::string plain_kernel = "IO" + SpaceLetters(rank);
  const Value g = InLayout(G(c), call.data_layout, call.plain);
  const Value data = Cast(InLayout(X(c, 0), call.data_layout, call.plain), g.dtype());
  const Value weight = Cast(InLayout(X(c, 1), call.kernel_layout, plain_kernel), g.dtype());
  Vars out(2);
  if (c.wanted[0]) {
    const Value full = Apply(call.Name(false), {g, weight}, call.Attrs());
    out[0] = InLayout(Corner(full, data.shape()), call.plain, call.data_layout);
  }
  if (c.wanted[1]) {
    out[1] =
        InLayout(WeightGradient(call, g, data, weight.shape()), plain_kernel, call.kernel_layout);
  }
  return out;
}

}  // namespace

Gradients ConvolutionGradients() {
  Gradients g;
  for (const size_t rank : {1, 2, 3}) {
    const std::string name = "nn.conv" + std::to_string(rank) + "d";
    g[name] = [rank](const GradientContext& c) { return Conv(c, rank); };
    g[name + "_transpose"] = [rank](const GradientContext& c) { return TransposedConv(c, rank); };
  }
  g["nn.unfold"] = [](const GradientContext& c) {
    ir::Dict attrs = c.given;
    const Shape& image = X(c).shape();
    attrs["output_size"] = ShapeAttr({image[2], image[3]});
    return Vars{Apply("nn.fold", {G(c)}, attrs)};
  };
  g["nn.fold"] = [](const GradientContext& c) {
    ir::Dict attrs = c.given;
    attrs.erase("output_size");
    return Vars{Apply("nn.unfold", {G(c)}, attrs)};
  };
  return g;
}

}  // namespace lathe::graph::ops
