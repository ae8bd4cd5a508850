#include "topi/cpu/image.h"

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/interleave.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

void ScheduleRgbToYuv(const OperatorWork& work) {
  Schedule s = work.schedule;
  const Tensor& y = work.result;
  const auto part = [&](const char* name) { return ir::OutputOf(PartOf(y->op, name), 0); };
  const Tensor rgb = part("rgb"), luma = part("luma"), yuv = part("yuv");
  const DataType dtype = y->dtype(), wide = luma->dtype();
  const int64_t pixels = ConstExtent(y, 0), channels = ConstExtent(y, 1);
  const int64_t whole = PixelsAtATime(pixels, dtype, work.machine);
  const int64_t lanes = whole != 0 ? whole : work.machine.Lanes(dtype);
  auto [block, lane] = schedule::Split(s[y], AxisOf(y, 0), lanes);
  IterVar at = block;
  if (WorthThreads(8.0 * static_cast<double>(pixels))) {
    const int64_t vectors = work.config.Ask(
        {"rgb_to_yuv.piece", 64, 1, 1 << 16, "vectors of pixels that a thread takes at once"});
    auto [piece, within] = schedule::Split(s[y], block, vectors);
    schedule::Parallel(s[y], piece);
    StreamResults(s[y], piece, channels * pixels * dtype.bytes(), work.machine);
    at = within;
  }
  // A vector of each channel at a time, in registers.
  for (const Tensor& stage : {rgb, luma, yuv}) {
    schedule::SetScope(s[stage], ir::memory_scope::kLocal);
    schedule::ComputeAt(s[stage], s[y], at);
    const size_t dims = stage->shape().size();
    if (stage.same_as(rgb)) continue;
    if (dims == 2) schedule::Unroll(s[stage], AxisOf(stage, 0));
    VectorizeRow(s[stage], AxisOf(stage, dims - 1), work.machine.Lanes(wide));
  }
  if (whole != 0) {
    schedule::Tensorize(s[rgb], AxisOf(rgb, 0), Deinterleave(lanes, channels, dtype));
    schedule::Tensorize(s[y], lane, Interleave(lanes, channels, dtype));
  } else {
    schedule::Unroll(s[rgb], AxisOf(rgb, 0));
    schedule::Vectorize(s[rgb], AxisOf(rgb, 1));
    schedule::Reorder(s[y], {AxisOf(y, 1), lane});
    schedule::Unroll(s[y], AxisOf(y, 1));
    schedule::Vectorize(s[y], lane);
  }
}

Kernel RgbToYuv(int64_t pixels, DataType dtype, const target::Machine& machine, Config config) {
  const Tensor x = te::Placeholder({ir::Int(pixels), ir::Int(3)}, dtype, "x");
  const Tensor y = ops::RgbToYuv(x);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleRgbToYuv({s, y, machine, config});
  return {s, {x, y}};
}

}  // namespace lathe::topi::cpu
