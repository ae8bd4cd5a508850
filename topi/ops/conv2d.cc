#include "topi/ops/conv2d.h"

#include "topi/anchor.h"
#include "topi/ops/operands.h"
#include "topi/part_names.h"

namespace lathe::topi::ops {
namespace {

using ir::Expr;
using ir::IterVar;
using te::Tensor;

constexpr int64_t kMostOfWindow = 1 << 16;

void CheckWindow(const Operands& check, const Tensor& data, const Tensor& weight, int weight_rank,
                 std::string_view weight_dims, const Window& window) {
  check.HaveRank({"data", data}, 5, 5, "5 (batch, channels / c, height, width, c)");
  check.HaveRank({"weight", weight}, weight_rank, weight_rank, weight_dims);
  check.HaveOneType({"data", data}, {"weight", weight});
  check.InRange("stride", window.stride, 1, kMostOfWindow);
  check.InRange("padding", window.padding, 0, kMostOfWindow);
  for (const int d : {2, 3}) {
    const int of_weight = weight_rank == 6 ? d : d - 1;
    const int64_t *extent = ir::AsConstInt(data->shape()[static_cast<size_t>(d)]),
                  *kernel = ir::AsConstInt(weight->shape()[static_cast<size_t>(of_weight)]);
    if (extent != nullptr && kernel != nullptr)
      check.InRange("the window's " + std::string(d == 2 ? "height" : "width"), *kernel, 1,
                    *extent + 2 * window.padding);
  }
}

// data[n, channel block, y, x, lane] with a frame of zeros, as a part of an operator of `kind`.
Tensor Pad(const Tensor& data, int64_t padding, std::string_view kind) {
  if (padding == 0) return data;
  const te::Shape& s = data->shape();
  return te::Compute(
      {s[0], s[1], s[2] + 2 * padding, s[3] + 2 * padding, s[4]},
      [&](const te::Indices& i) {
        const Expr y = i[2] - padding, x = i[3] - padding;
        const Expr inside =
            ir::LogicalAnd(ir::LogicalAnd(y >= 0, y < s[2]), ir::LogicalAnd(x >= 0, x < s[3]));
        return ir::IfThenElse(inside, te::At(data, {i[0], i[1], y, x, i[4]}),
                              ir::Const(0, data->dtype()));
      },
      "padded",
      {.attrs = PartAttrs(kind, part::kPadded), .axis_names = {"n", "c", "y", "x", "lane"}});
}

// How many windows of `kernel` elements fit into an extent with its padding.
Expr Places(const Expr& extent, const Expr& kernel, const Window& window) {
  return ir::FloorDivide(extent + 2 * window.padding - kernel, ir::Int(window.stride)) + 1;
}

}  // namespace

Tensor Conv2dNCHWc(const Tensor& data, const Tensor& weight, const Window& window) {
  const Operands check("conv2d_NCHWc");
  CheckWindow(check, data, weight, 6, "6 (out / b, channels / c, height, width, c, b)", window);
  check.Agree({"data", data}, 1, {"weight", weight}, 1);
  check.Agree({"data", data}, 4, {"weight", weight}, 4);
  const te::Shape &d = data->shape(), &w = weight->shape();
  const Tensor padded = Pad(data, window.padding, kConv2d);
  const IterVar co = te::ReduceAxis(ir::Int(0), w[1], "c.outer"),
                ky = te::ReduceAxis(ir::Int(0), w[2], "ky"),
                kx = te::ReduceAxis(ir::Int(0), w[3], "kx"),
                ci = te::ReduceAxis(ir::Int(0), w[4], "c.inner");
  return te::Compute(
      {d[0], w[0], Places(d[2], w[2], window), Places(d[3], w[3], window), w[5]},
      [&](const te::Indices& i) {
        return te::Sum(te::At(padded, {i[0], co->var, i[2] * window.stride + ky->var,
                                       i[3] * window.stride + kx->var, ci->var}) *
                           te::At(weight, {i[1], co->var, ky->var, kx->var, ci->var, i[4]}),
                       {co, ky, kx, ci});
      },
      "out", {.attrs = AnchorAttrs(kConv2d), .axis_names = {"n", "f", "y", "x", "lane"}});
}

Tensor DepthwiseConv2dNCHWc(const Tensor& data, const Tensor& weight, const Window& window) {
  const Operands check("depthwise_conv2d_NCHWc");
  CheckWindow(check, data, weight, 4, "4 (channels / c, height, width, c)", window);
  check.Agree({"data", data}, 1, {"weight", weight}, 0);
  check.Agree({"data", data}, 4, {"weight", weight}, 3);
  const te::Shape &d = data->shape(), &w = weight->shape();
  const Tensor padded = Pad(data, window.padding, kDepthwiseConv2d);
  const IterVar ky = te::ReduceAxis(ir::Int(0), w[1], "ky"),
                kx = te::ReduceAxis(ir::Int(0), w[2], "kx");
  return te::Compute(
      {d[0], d[1], Places(d[2], w[1], window), Places(d[3], w[2], window), d[4]},
      [&](const te::Indices& i) {
        return te::Sum(te::At(padded, {i[0], i[1], i[2] * window.stride + ky->var,
                                       i[3] * window.stride + kx->var, i[4]}) *
                           te::At(weight, {i[1], ky->var, kx->var, i[4]}),
                       {ky, kx});
      },
      "out", {.attrs = AnchorAttrs(kDepthwiseConv2d), .axis_names = {"n", "c", "y", "x", "lane"}});
}

}  // namespace lathe::topi::ops
