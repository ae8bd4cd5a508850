#include "topi/cpu/conv2d.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

// The largest divisor of `extent` that is at most `limit`; where that is less than half of it, the
// limit itself: a tail costs less than short tiles.
int64_t TileOf(int64_t extent, int64_t limit) {
  limit = std::min(limit, extent);
  for (int64_t tile = limit; 2 * tile > limit; --tile) {
    if (extent % tile == 0) return tile;
  }
  return limit;
}

void RequireDivides(const char* what, int64_t channels, int64_t block) {
  if (channels % block == 0) return;
  throw Error(
      Diagnostic{.name = "topi-channels",
                 .message = std::string(what) + " channels do not fill blocks",
                 .expected = "a multiple of " + std::to_string(block),
                 .found = std::to_string(channels),
                 .help = "pad the channels with zeros, or take a target with narrower vectors"});
}

// data[n, channel block, y, x, lane], with a frame of zeros.
te::Tensor Pad(const te::Tensor& data, const Conv2dShape& shape, int64_t blocks, int64_t lanes) {
  const int64_t p = shape.padding;
  if (p == 0) return data;
  return te::Compute({ir::Int(shape.batch), ir::Int(blocks), ir::Int(shape.height + 2 * p),
                      ir::Int(shape.width + 2 * p), ir::Int(lanes)},
                     [&](const te::Indices& i) {
                       const ir::Expr y = i[2] - p, x = i[3] - p;
                       const ir::Expr inside =
                           ir::LogicalAnd(ir::LogicalAnd(y >= 0, y < shape.height),
                                          ir::LogicalAnd(x >= 0, x < shape.width));
                       return ir::IfThenElse(inside, te::At(data, {i[0], i[1], y, x, i[4]}),
                                             ir::Const(0, data->dtype()));
                     },
                     "padded", {.axis_names = {"n", "c", "y", "x", "lane"}});
}

double Operations(const Conv2dShape& s, int64_t in_channels, int64_t out_channels) {
  return 2.0 * static_cast<double>(s.batch * s.out_height() * s.out_width() * out_channels) *
         static_cast<double>(s.kernel * s.kernel * in_channels);
}

}  // namespace

int64_t ConvBlock(int64_t out_channels, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(DataType::Float(32));
  return out_channels % (2 * lanes) == 0 ? 2 * lanes : lanes;
}

Kernel Conv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine) {
  const DataType dtype = DataType::Float(32);
  const int64_t lanes = machine.Lanes(dtype), block = ConvBlock(shape.out_channels, machine);
  RequireDivides("input", shape.in_channels, lanes);
  RequireDivides("output", shape.out_channels, block);
  const int64_t in_blocks = shape.in_channels / lanes, out_blocks = shape.out_channels / block;

  const te::Tensor data =
      te::Placeholder({ir::Int(shape.batch), ir::Int(in_blocks), ir::Int(shape.height),
                       ir::Int(shape.width), ir::Int(lanes)},
                      dtype, "data");
  const te::Tensor weight =
      te::Placeholder({ir::Int(out_blocks), ir::Int(in_blocks), ir::Int(shape.kernel),
                       ir::Int(shape.kernel), ir::Int(lanes), ir::Int(block)},
                      dtype, "weight");
  const te::Tensor padded = Pad(data, shape, in_blocks, lanes);
  const IterVar co = te::ReduceAxis(ir::Int(0), ir::Int(in_blocks), "c.outer"),
                ky = te::ReduceAxis(ir::Int(0), ir::Int(shape.kernel), "ky"),
                kx = te::ReduceAxis(ir::Int(0), ir::Int(shape.kernel), "kx"),
                ci = te::ReduceAxis(ir::Int(0), ir::Int(lanes), "c.inner");
  const te::Tensor out = te::Compute(
      {ir::Int(shape.batch), ir::Int(out_blocks), ir::Int(shape.out_height()),
       ir::Int(shape.out_width()), ir::Int(block)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(padded, {i[0], co->var, i[2] * shape.stride + ky->var,
                                       i[3] * shape.stride + kx->var, ci->var}) *
                           te::At(weight, {i[1], co->var, ky->var, kx->var, ci->var, i[4]}),
                       {co, ky, kx, ci});
      },
      "out", {.attrs = AnchorAttrs(kConv2d), .axis_names = {"n", "f", "y", "x", "lane"}});

  Schedule s = schedule::CreateSchedule({out->op});
  const bool parallel = WorthThreads(Operations(shape, shape.in_channels, shape.out_channels));
  const te::Tensor sum = schedule::CacheWrite(s, out, "local")[0];
  // Columns x vectors sums; of the registers a few are for weights.
  const int64_t vectors = block / lanes;
  const int64_t columns =
      TileOf(shape.out_width(), (machine.vector_registers - (vectors == 2 ? 4 : 3)) / vectors);
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), columns);
  schedule::Unroll(s[out], x_inner);
  VectorizeRow(s[out], AxisOf(out, 4), lanes);
  if (parallel) {
    schedule::Parallel(s[out],
                       schedule::Fuse(s[out], {AxisOf(out, 0), AxisOf(out, 1), AxisOf(out, 2)}));
  }
  schedule::ComputeAt(s[sum], s[out], x_outer);
  const IterVar x = AxisOf(sum, 3), lane = AxisOf(sum, 4);
  schedule::Reorder(s[sum], {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), ReduceAxisOf(sum, 2),
                             ReduceAxisOf(sum, 3), x, lane});
  schedule::Unroll(s[sum], x);
  VectorizeRow(s[sum], lane, lanes);
  if (shape.padding > 0) {
    schedule::Vectorize(s[padded], AxisOf(padded, 4));
    if (parallel) {
      schedule::Parallel(s[padded], schedule::Fuse(s[padded], {AxisOf(padded, 0), AxisOf(padded, 1),
                                                               AxisOf(padded, 2)}));
    }
  }
  return {s, {data, weight, out}};
}

Kernel DepthwiseConv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine) {
  const DataType dtype = DataType::Float(32);
  const int64_t lanes = machine.Lanes(dtype);
  RequireDivides("input", shape.in_channels, lanes);
  const int64_t blocks = shape.in_channels / lanes;
  const te::Tensor data =
      te::Placeholder({ir::Int(shape.batch), ir::Int(blocks), ir::Int(shape.height),
                       ir::Int(shape.width), ir::Int(lanes)},
                      dtype, "data");
  const te::Tensor weight = te::Placeholder(
      {ir::Int(blocks), ir::Int(shape.kernel), ir::Int(shape.kernel), ir::Int(lanes)}, dtype,
      "weight");
  const te::Tensor padded = Pad(data, shape, blocks, lanes);
  const IterVar ky = te::ReduceAxis(ir::Int(0), ir::Int(shape.kernel), "ky"),
                kx = te::ReduceAxis(ir::Int(0), ir::Int(shape.kernel), "kx");
  const te::Tensor out = te::Compute(
      {ir::Int(shape.batch), ir::Int(blocks), ir::Int(shape.out_height()),
       ir::Int(shape.out_width()), ir::Int(lanes)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(padded, {i[0], i[1], i[2] * shape.stride + ky->var,
                                       i[3] * shape.stride + kx->var, i[4]}) *
                           te::At(weight, {i[1], ky->var, kx->var, i[4]}),
                       {ky, kx});
      },
      "out", {.attrs = AnchorAttrs(kDepthwiseConv2d), .axis_names = {"n", "c", "y", "x", "lane"}});

  Schedule s = schedule::CreateSchedule({out->op});
  const te::Tensor sum = schedule::CacheWrite(s, out, "local")[0];
  const int64_t columns = TileOf(shape.out_width(), machine.vector_registers / 2 - 2);
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), columns);
  schedule::Unroll(s[out], x_inner);
  schedule::Vectorize(s[out], AxisOf(out, 4));
  // A plane of one block of channels at a time: it stays in the second-level cache with its frame.
  const IterVar plane = schedule::Fuse(s[out], {AxisOf(out, 0), AxisOf(out, 1)});
  if (WorthThreads(Operations(shape, 1, shape.in_channels))) schedule::Parallel(s[out], plane);
  schedule::ComputeAt(s[sum], s[out], x_outer);
  schedule::Reorder(s[sum],
                    {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), AxisOf(sum, 3), AxisOf(sum, 4)});
  for (const size_t axis : {0, 1}) schedule::Unroll(s[sum], ReduceAxisOf(sum, axis));
  schedule::Unroll(s[sum], AxisOf(sum, 3));
  schedule::Vectorize(s[sum], AxisOf(sum, 4));
  if (shape.padding > 0) {
    schedule::Vectorize(s[padded], AxisOf(padded, 4));
    schedule::ComputeAt(s[padded], s[out], plane);
  }
  return {s, {data, weight, out}};
}

}  // namespace lathe::topi::cpu
