#include "topi/cpu/dot_conv2d.h"

#include <algorithm>
#include <vector>

#include "schedule/primitives/primitives.h"
#include "topi/cpu/conv2d_stages.h"
#include "topi/cpu/dot_intrinsics.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;

// The instruction for the sums' operands: one element of the output's rows at a time.
DotChoice DotOf(const ir::Tensor& sum, const target::Machine& machine) {
  ir::Tensor data, weight;
  for (const ir::Tensor& input : ir::InputsOf(*sum->op))
    (input->shape().size() == 7 ? weight : data) = input;
  return ChooseDot(data->dtype(), weight->dtype(), 1, ConstExtent(sum, 4), machine);
}

}  // namespace

std::string WhyNotDotConv2d(const ir::Op& result, const target::Machine& machine) {
  const ir::Tensor sum = ir::OutputOf(result, 0);
  const DotChoice dot = DotOf(sum, machine);
  if (dot.dot == nullptr || dot.shifted())
    return "this machine has no dot product of these operands";
  return ConstExtent(sum, 4) % dot.dot->columns == 0
             ? ""
             : "blocks of channels are not whole vectors of the dot product";
}

void ScheduleDotConv2d(const OperatorWork& work) {
  const DotRow& dot = *DotOf(work.result, work.machine).dot;
  const bool parallel = WorthThreads(ConvOperations(work.result));
  const auto [padded, sum, out] = ConvStagesOf(work);
  Schedule s = work.schedule;
  const int64_t lanes = dot.columns, of_block = ConstExtent(sum, 4) / lanes;
  // Steps of several instructions need registers for intermediate values.
  const int64_t registers = work.machine.vector_registers / (dot.instructions > 2 ? 2 : 1);
  const int64_t blocks = work.config.Ask({"dot_conv2d.blocks", of_block > 1 ? 1 : ConvBlocks(out),
                                          1, 4, "blocks of output channels in registers"});
  const int64_t vectors = blocks * of_block;
  const int64_t columns = work.config.Ask(
      {"dot_conv2d.columns",
       ConvTile(ConstExtent(out, 3), std::max<int64_t>(1, (registers - 4) / vectors)), 1, 32,
       "columns of the output in registers"});
  const int64_t height = ConstExtent(out, 2), free_rows = (registers - 4) / (vectors * columns);
  // If a row leaves half of the registers free, a second one halves the weights that are read for
  // each product. Only rows that divide the height: dot products are not cut off at a tail.
  const int64_t rows = LargestDivisor(
      height,
      work.config.Ask({"dot_conv2d.rows", LargestDivisor(height, std::min<int64_t>(free_rows, 4)),
                       1, 8, "most rows of the output in registers"}));
  const IterVar x_outer = ScheduleConvTiles(s, out, {blocks, rows, columns, lanes, parallel});
  schedule::ComputeAt(s[sum], s[out], x_outer);
  const IterVar f = AxisOf(sum, 1), y = AxisOf(sum, 2);
  // The dot product is a block of one element of a row by `lanes` channels by four channels of the
  // input.
  const auto [x, one] = schedule::Split(s[sum], AxisOf(sum, 3), 1);
  const auto [vector, lane] = schedule::Split(s[sum], AxisOf(sum, 4), lanes);
  schedule::Reorder(s[sum],
                    {ReduceAxisOf(sum, 0), ReduceAxisOf(sum, 1), ReduceAxisOf(sum, 2),
                     ReduceAxisOf(sum, 3), y, x, f, vector, one, lane, ReduceAxisOf(sum, 4)});
  for (const IterVar& axis : {y, x, f, vector}) schedule::Unroll(s[sum], axis);
  schedule::Tensorize(s[sum], one, DotIntrin(dot));
  if (padded) ScheduleConvFrame(s, padded, parallel);
}

}  // namespace lathe::topi::cpu
