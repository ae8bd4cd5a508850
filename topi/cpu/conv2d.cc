#include "topi/cpu/conv2d.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/anchor.h"
#include "topi/cpu/loops.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

// The largest divisor of `extent` that is at most `limit`. If it is half of the limit or less, the
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

// The stages of a convolution: the frame of zeros (null if there is none), the sums, and the stage
// whose loops the sums follow.
struct Stages {
  te::Tensor padded, sum, out;
};

Stages StagesOf(const OperatorWork& work) {
  Schedule s = work.schedule;
  Stages stages;
  if (const ir::Op padded = PartOf(work.result->op, part::kPadded)) {
    stages.padded = ir::OutputOf(padded, 0);
  }
  stages.out = work.has_epilogue() ? work.sink : work.result;
  stages.sum = work.has_epilogue()
                   ? work.result
                   : schedule::CacheWrite(s, work.result, ir::memory_scope::kLocal)[0];
  return stages;
}

// The number of multiplications and additions for all sums.
double Operations(const te::Tensor& sums) {
  double operations = 2;
  const auto* compute = ir::As<ir::ComputeOp>(sums->op);
  for (const auto& axes : {compute->axis, compute->reduce_axis}) {
    for (const IterVar& axis : axes)
      operations *= static_cast<double>(*ir::AsConstInt(axis->domain->extent));
  }
  return operations;
}

}  // namespace

int64_t ConvBlock(int64_t out_channels, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(DataType::Float(32));
  return out_channels % (2 * lanes) == 0 ? 2 * lanes : lanes;
}

void ScheduleConv2dNCHWc(const OperatorWork& work) {
  const DataType dtype = work.result->dtype();
  const int64_t lanes = work.machine.Lanes(dtype), block = ConstExtent(work.result, 4);
  const bool parallel = WorthThreads(Operations(work.result));
  const auto [padded, sum, out] = StagesOf(work);
  Schedule s = work.schedule;
  // Columns x vectors sums are in registers. A few registers are left for weights.
  const int64_t vectors = block / lanes;
  const int64_t columns =
      work.config.Ask({"conv2d.columns",
                       TileOf(ConstExtent(out, 3),
                              (work.machine.vector_registers - (vectors == 2 ? 4 : 3)) / vectors),
                       1, 32, "columns of the output in registers"});
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), columns);
  schedule::Unroll(s[out], x_inner);
  VectorizeRow(s[out], AxisOf(out, 4), lanes);
  if (parallel) {
    schedule::Parallel(s[out],
                       schedule::Fuse(s[out], {AxisOf(out, 0), AxisOf(out, 1), AxisOf(out, 2)}));
  }
  schedule::ComputeAt(s[sum], s[out], x_outer);
  const IterVar x = AxisOf(sum, 3), lane = AxisOf(sum, 4);
  std::vector<IterVar> order = {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), ReduceAxisOf(sum, 2),
                                ReduceAxisOf(sum, 3)};
  const int64_t block_channels = *ir::AsConstInt(order[3]->domain->extent);
  // By its logarithm, so that a search draws all sizes equally often.
  const int64_t doublings = work.config.Ask(
      {"conv2d.channel_doublings", 0, 0, 3,
       "channels of the input whose products are straight code, as a power of two"});
  const int64_t straight = TileOf(block_channels, int64_t{1} << doublings);
  if (straight > 1) {
    auto [rest, inner] = schedule::Split(s[sum], order[3], straight);
    schedule::Unroll(s[sum], inner);
    order[3] = rest;
    order.push_back(inner);
  }
  if (work.config.Ask({"conv2d.window_around", 0, 0, 1,
                       "the loops over the window are around those over blocks of channels"}) == 1)
    std::rotate(order.begin(), order.begin() + 1, order.begin() + 3);
  order.insert(order.end(), {x, lane});
  schedule::Reorder(s[sum], order);
  schedule::Unroll(s[sum], x);
  VectorizeRow(s[sum], lane, lanes);
  if (padded) {
    schedule::Vectorize(s[padded], AxisOf(padded, 4));
    if (parallel) {
      schedule::Parallel(s[padded], schedule::Fuse(s[padded], {AxisOf(padded, 0), AxisOf(padded, 1),
                                                               AxisOf(padded, 2)}));
    }
  }
}

void ScheduleDepthwiseConv2dNCHWc(const OperatorWork& work) {
  const bool parallel = WorthThreads(Operations(work.result));
  const auto [padded, sum, out] = StagesOf(work);
  Schedule s = work.schedule;
  const int64_t columns =
      work.config.Ask({"depthwise_conv2d.columns",
                       TileOf(ConstExtent(out, 3), work.machine.vector_registers / 2 - 2), 1, 32,
                       "columns of the output in registers"});
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), columns);
  schedule::Unroll(s[out], x_inner);
  schedule::Vectorize(s[out], AxisOf(out, 4));
  // One block of channels of one image at a time: with its frame it stays in the second-level
  // cache.
  const IterVar plane = schedule::Fuse(s[out], {AxisOf(out, 0), AxisOf(out, 1)});
  if (parallel) schedule::Parallel(s[out], plane);
  schedule::ComputeAt(s[sum], s[out], x_outer);
  schedule::Reorder(s[sum],
                    {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), AxisOf(sum, 3), AxisOf(sum, 4)});
  const int64_t loops = work.config.Ask(
      {"depthwise_conv2d.straight_loops", 2, 0, 2, "loops over the window that are straight code"});
  for (size_t axis = static_cast<size_t>(2 - loops); axis < 2; ++axis)
    schedule::Unroll(s[sum], ReduceAxisOf(sum, axis));
  schedule::Unroll(s[sum], AxisOf(sum, 3));
  schedule::Vectorize(s[sum], AxisOf(sum, 4));
  if (padded) {
    schedule::Vectorize(s[padded], AxisOf(padded, 4));
    if (work.config.Ask({"depthwise_conv2d.frame_near", 1, 0, 1,
                         "the frame is made for a block of channels, not for all at once"}) == 1)
      schedule::ComputeAt(s[padded], s[out], plane);
  }
}

Kernel Conv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine, Config config) {
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
  const te::Tensor out = ops::Conv2dNCHWc(data, weight, {shape.stride, shape.padding});
  Schedule s = schedule::CreateSchedule({out->op});
  ScheduleConv2dNCHWc({s, out, machine, config});
  return {s, {data, weight, out}};
}

Kernel DepthwiseConv2dNCHWc(const Conv2dShape& shape, const target::Machine& machine,
                            Config config) {
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
  const te::Tensor out = ops::DepthwiseConv2dNCHWc(data, weight, {shape.stride, shape.padding});
  Schedule s = schedule::CreateSchedule({out->op});
  ScheduleDepthwiseConv2dNCHWc({s, out, machine, config});
  return {s, {data, weight, out}};
}

}  // namespace lathe::topi::cpu
