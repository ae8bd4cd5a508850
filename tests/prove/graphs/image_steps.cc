// Pieces of networks of images: convolutions, what follows them, and pools.
#include "tests/prove/graphs/generator.h"

namespace lathe::prove::graphs {

using graph::BoolAttr;
using graph::IntAttr;
using graph::IntsAttr;

void Generator::Convolution(const Value& x) {
  ++features_["convolution"];
  const int64_t channels = Number(ShapeOf(x.var)[1]);
  if (channels >= 4 && channels % 2 == 0 && Chance(15)) return ProductOfGroups(x);
  const int64_t kernel_h = OneOf({1, 3, 3, 2}), kernel_w = Chance(80) ? kernel_h : OneOf({1, 3});
  int64_t filters = OneOf({1, 3, 4, 8, 8, 16, 16, 32, 5, 12, 24});
  // Often the number of the input, so that there are residual sums.
  if (Chance(40)) filters = channels;
  int64_t groups = 1;
  if (Chance(25)) {
    groups = channels;
    filters = channels * OneOf({1, 1, 1, 2});
  } else if (Chance(15) && channels % 2 == 0 && filters % 2 == 0) {
    groups = 2;
  }
  ir::Dict attrs;
  const int64_t around = OneOf({0, 1, 1, 1, 2});
  if (kernel_h == 3 && kernel_w == 3 && Chance(70)) {
    attrs["padding"] = IntsAttr({1, 1});
  } else if (Chance(50)) {
    attrs["padding"] = Chance(70) ? IntsAttr({around, around}) : IntsAttr({around, 0, 1, around});
  }
  if (Chance(20)) attrs["strides"] = IntsAttr({OneOf({1, 2}), OneOf({2, 3})});
  if (Chance(10)) attrs["dilation"] = IntsAttr({2, OneOf({1, 2})});
  if (groups > 1) attrs["groups"] = IntAttr(groups);
  if (Chance(10)) attrs["channels"] = IntAttr(filters);
  // Chains of convolutions grow.
  const GraphVar data = x.range.high > 100 && Chance(60) ? Into(x, {-2, 2}) : x.var;
  GraphVar y =
      Try("nn.conv2d", {data, Weight({filters, channels / groups, kernel_h, kernel_w})}, attrs);
  if (!y) return;
  if (Chance(60)) return BehindConvolution(y);
  Keep(y);
}

// A convolution of one pixel and two groups with its bias, as ShuffleNet has them.
void Generator::ProductOfGroups(const Value& x) {
  const int64_t channels = Number(ShapeOf(x.var)[1]), filters = channels * OneOf({1, 1, 2});
  const GraphVar y =
      Try("nn.conv2d", {x.var, Weight({filters, channels / 2, 1, 1})}, {{"groups", IntAttr(2)}});
  if (!y) return;
  const GraphVar sum = Try("nn.bias_add", {y, Weight({filters})});
  return BehindConvolution(sum ? sum : y);
}

// Bias, scale, activation and residual sum behind an image of channels, in any order.
void Generator::BehindConvolution(GraphVar x) {
  const int steps = Between(1, 3);
  for (int i = 0; i < steps; ++i) {
    const int64_t channels = Number(ShapeOf(x)[1]);
    GraphVar y;
    switch (Between(0, 8)) {
      case 0:
      case 1:
        y = Try("nn.bias_add", {x, Weight({channels})});
        break;
      case 2:
        y = Try(OneOf({"multiply", "add"}), {x, Weight({channels, 1, 1})});
        break;
      case 3:
        y = Try("multiply", {Weight({1, channels, 1, 1}), x});
        break;
      case 4: {
        std::vector<GraphVar> args{x};
        for (int k = 0; k < 4; ++k)
          args.push_back(
              Constant(DataType::Float(32), {Int64(channels)}, {k == 3 ? 0.5 : -1.0, 1}));
        y = Try("nn.batch_norm", args);
        if (y) y = b_.Get(y, 0);
        break;
      }
      case 5:
        y = Try("add", {x, Partner(x)});
        break;
      case 6:
        y = Try(OneOf({"multiply", "subtract", "maximum"}), {x, Partner(x)});
        break;
      default:
        y = Call(OneOf({"nn.relu", "tanh", "sigmoid", "clip", "nn.leaky_relu", "exp"}) ==
                         std::string("clip")
                     ? "nn.relu"
                     : OneOf({"nn.relu", "nn.relu", "tanh", "sigmoid"}),
                 {x});
        break;
    }
    if (!y) continue;
    // Sometimes what is in between has another reader.
    if (Chance(10)) Keep(x);
    x = y;
  }
  Keep(x);
}

void Generator::Pool(const Value& x) {
  const std::string op = OneOf({"nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d",
                                "nn.global_max_pool2d", "nn.adaptive_avg_pool2d"});
  ir::Dict attrs;
  if (op == "nn.max_pool2d" || op == "nn.avg_pool2d") {
    attrs["pool_size"] = IntsAttr({OneOf({2, 3}), OneOf({1, 2, 3})});
    if (Chance(60)) attrs["strides"] = IntsAttr({OneOf({1, 2}), OneOf({1, 2})});
    if (Chance(40)) attrs["padding"] = IntsAttr({1, 1});
    if (Chance(20)) attrs["ceil_mode"] = BoolAttr(true);
    if (op == "nn.avg_pool2d" && Chance(40)) attrs["count_include_pad"] = BoolAttr(true);
  } else if (op == "nn.adaptive_avg_pool2d") {
    attrs["output_size"] = IntsAttr({Between(1, 3), Between(1, 3)});
  }
  if (GraphVar y = Try(op, {x.var}, attrs)) Keep(y, x.range);
}

// A convolution of as many channels, and the sum of both.
void Generator::Residual(const GraphVar& x) {
  const int64_t channels = Number(ShapeOf(x)[1]);
  GraphVar y = Try("nn.conv2d", {x, Weight({channels, channels, 1, 1})});
  if (y) y = Try("add", {y, x});
  if (y) Keep(y);
}

}  // namespace lathe::prove::graphs
