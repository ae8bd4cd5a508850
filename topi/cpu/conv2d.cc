#include "topi/cpu/conv2d.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/conv2d_stages.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

void RequireDivides(const char* what, int64_t channels, int64_t block) {
  if (channels % block == 0) return;
  throw Error(
      Diagnostic{.name = "topi-channels",
                 .message = std::string(what) + " channels do not fill blocks",
                 .expected = "a multiple of " + std::to_string(block),
                 .found = std::to_string(channels),
                 .help = "pad the channels with zeros, or take a target with narrower vectors"});
}

// Rows of the output in registers beside each other. If a row leaves half of the registers free, a
// second one halves the weights that are read for each product: late layers have rows of 7 and
// weights that no near cache holds.
int64_t ConvRows(const te::Tensor& out, const target::Machine& machine, int64_t vectors_of_row) {
  const int64_t rows = (machine.vector_registers - 4) / vectors_of_row;
  return std::clamp<int64_t>(std::min(rows, ConstExtent(out, 2)), 1, 4);
}

// How the frame of zeros of a depthwise convolution is made.
constexpr int64_t kFrameOfAll = 0, kFrameOfPlane = 1, kNoFrame = 2;

// Without a frame, rows and columns at the border are loops of their own, straight code for the
// window: nothing is copied, and the code is nine times as long.
int64_t AskFrame(const OperatorWork& work, const te::Tensor& sum) {
  int64_t window = 1;
  for (const IterVar& axis : ir::As<ir::ComputeOp>(sum->op)->reduce_axis)
    window *= *ir::AsConstInt(axis->domain->extent);
  return work.config.Ask({"depthwise_conv2d.frame_near", window <= 25 ? kNoFrame : kFrameOfPlane,
                          kFrameOfAll, kNoFrame,
                          "the frame of zeros is made for all (0) or for a vector of channels (1); "
                          "2: there is none, the border is computed apart"});
}

int64_t DepthwiseColumns(const te::Tensor& out, const target::Machine& machine, int64_t frame) {
  const int64_t width = ConstExtent(out, 3), most = machine.vector_registers / 2 - 2;
  // Tiles at the border are computed apart: those between should be most.
  const int64_t limit = frame == kNoFrame ? std::clamp<int64_t>(width / 4, most / 2, most) : most;
  return ConvTile(width, limit);
}

}  // namespace

int64_t ConvBlock(int64_t out_channels, const target::Machine& machine) {
  const int64_t lanes = machine.Lanes(DataType::Float(32));
  return out_channels % (2 * lanes) == 0 ? 2 * lanes : lanes;
}

void ScheduleConv2dNCHWc(const OperatorWork& work) {
  const DataType dtype = work.result->dtype();
  const int64_t lanes = work.machine.Lanes(dtype), block = ConstExtent(work.result, 4);
  const bool parallel = WorthThreads(ConvOperations(work.result));
  const auto [padded, sum, out] = ConvStagesOf(work);
  Schedule s = work.schedule;
  // Columns x vectors sums are in registers. A few registers are left for weights.
  const int64_t blocks = work.config.Ask({"conv2d.blocks", block <= lanes ? ConvBlocks(out) : 1, 1,
                                          4, "blocks of output channels in registers"});
  const int64_t vectors = blocks * std::max<int64_t>(1, block / lanes);
  const int64_t columns =
      work.config.Ask({"conv2d.columns",
                       ConvTile(ConstExtent(out, 3),
                                (work.machine.vector_registers - (vectors == 1 ? 3 : 4)) / vectors),
                       1, 32, "columns of the output in registers"});
  const int64_t rows =
      work.config.Ask({"conv2d.rows", ConvRows(out, work.machine, vectors * columns), 1, 8,
                       "rows of the output in registers"});
  const IterVar x_outer = ScheduleConvTiles(s, out, {blocks, rows, columns, lanes, parallel});
  schedule::ComputeAt(s[sum], s[out], x_outer);
  const IterVar f = AxisOf(sum, 1), y = AxisOf(sum, 2), x = AxisOf(sum, 3), lane = AxisOf(sum, 4);
  std::vector<IterVar> order = {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), ReduceAxisOf(sum, 2),
                                ReduceAxisOf(sum, 3)};
  const int64_t block_channels = *ir::AsConstInt(order[3]->domain->extent);
  // By its logarithm, so that a search draws all sizes equally often.
  const int64_t doublings = work.config.Ask(
      {"conv2d.channel_doublings", 0, 0, 3,
       "channels of the input whose products are straight code, as a power of two"});
  const int64_t straight = ConvTile(block_channels, int64_t{1} << doublings);
  if (straight > 1) {
    auto [rest, inner] = schedule::Split(s[sum], order[3], straight);
    schedule::Unroll(s[sum], inner);
    order[3] = rest;
    order.push_back(inner);
  }
  if (work.config.Ask({"conv2d.window_around", 0, 0, 1,
                       "the loops over the window are around those over blocks of channels"}) == 1)
    std::rotate(order.begin(), order.begin() + 1, order.begin() + 3);
  // Columns around blocks: so a column's element is no longer needed when the next one is read.
  order.insert(order.end(), {y, x, f, lane});
  schedule::Reorder(s[sum], order);
  schedule::Unroll(s[sum], f);
  schedule::Unroll(s[sum], y);
  schedule::Unroll(s[sum], x);
  VectorizeRow(s[sum], lane, lanes);
  if (padded) ScheduleConvFrame(s, padded, parallel);
}

void ScheduleDepthwiseConv2dNCHWc(const OperatorWork& work) {
  const bool parallel = WorthThreads(ConvOperations(work.result));
  const int64_t lanes = work.machine.Lanes(work.result->dtype());
  const auto [padded, sum, out] = ConvStagesOf(work);
  Schedule s = work.schedule;
  const int64_t frame = padded ? AskFrame(work, sum) : kFrameOfAll;
  const int64_t columns =
      work.config.Ask({"depthwise_conv2d.columns", DepthwiseColumns(out, work.machine, frame), 1,
                       32, "columns of the output in registers"});
  auto [x_outer, x_inner] = schedule::Split(s[out], AxisOf(out, 3), columns);
  schedule::Unroll(s[out], x_inner);
  // One vector of channels of one image at a time: what it reads and writes is near meanwhile.
  std::vector<IterVar> planes = {AxisOf(out, 0), AxisOf(out, 1)};
  IterVar lane = AxisOf(out, 4);
  if (ConstExtent(out, 4) > lanes) {
    auto [vector, inner] = schedule::Split(s[out], lane, lanes);
    schedule::Reorder(s[out], {vector, AxisOf(out, 2), x_outer, x_inner, inner});
    planes.push_back(vector);
    lane = inner;
  }
  schedule::Vectorize(s[out], lane);
  const IterVar plane = schedule::Fuse(s[out], planes);
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
  if (!padded) return;
  if (frame == kNoFrame) {
    schedule::ComputeInline(s[padded]);
    schedule::Pragma(s[out], AxisOf(out, 2), ir::pragma::kLoopPartitionHint);
    // Few tiles are all at the frame: none would be left for a loop without guards.
    if (ConstExtent(out, 3) <= 3 * columns) {
      schedule::Unroll(s[out], x_outer);
    } else {
      schedule::Pragma(s[out], x_outer, ir::pragma::kLoopPartitionHint);
    }
    return;
  }
  schedule::Vectorize(s[padded], AxisOf(padded, 4));
  if (frame == kFrameOfPlane) schedule::ComputeAt(s[padded], s[out], plane);
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
