#include "topi/cpu/copy.h"

#include <numeric>
#include <string>

#include "schedule/primitives/primitives.h"
#include "topi/anchor.h"
#include "topi/cpu/interleave.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/transpose_block.h"
#include "topi/part_names.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr DataType kFloat = DataType::Float(32);

}  // namespace

void ScheduleTranspose(const OperatorWork& work) {
  const Tensor& y = work.result;
  schedule::Stage& stage = work.schedule[y];
  const int64_t rows = ConstExtent(y, 1), columns = ConstExtent(y, 0);
  const int64_t lanes = work.machine.Lanes(y->dtype());
  const bool whole = rows % lanes == 0 && columns % lanes == 0;
  auto t = schedule::Tile(stage, AxisOf(y, 0), AxisOf(y, 1), lanes, lanes);
  // Parallel along the rows of y, so that y is written in order.
  if (WorthThreads(static_cast<double>(rows * columns))) schedule::Parallel(stage, t.x_outer);
  // Stream only if one vector is a whole cache line. Lines in two parts would be written twice.
  if (work.machine.vector_bytes >= 64) {
    StreamResults(stage, t.x_outer, rows * columns * y->dtype().bytes(), work.machine);
  }
  if (whole) {
    schedule::Tensorize(stage, t.x_inner, TransposeBlock(lanes, y->dtype()));
  } else {
    const int64_t unrolled =
        work.config.Ask({"transpose.rows", 4, 1, 64, "rows of a tile that are straight code"});
    schedule::Unroll(stage, schedule::Split(stage, t.x_inner, unrolled).second);
    schedule::Vectorize(stage, t.y_inner);
  }
}

void ScheduleConcatColumns(const OperatorWork& work) {
  const Tensor& y = work.result;
  schedule::Stage& stage = work.schedule[y];
  const int64_t size = ConstExtent(y, 0) * ConstExtent(y, 1);
  if (WorthThreads(static_cast<double>(size))) schedule::Parallel(stage, AxisOf(y, 0));
  StreamResults(stage, AxisOf(y, 0), size * y->dtype().bytes(), work.machine);
  const int64_t vectors =
      work.config.Ask({"concat_columns.vectors", 1, 1, 16, "vectors copied together"});
  VectorizeInner(stage, AxisOf(y, 1), vectors, work.machine.Lanes(y->dtype()));
}

namespace {

// Pixels that are interleaved at once: a vector of each channel, or a part of one.
int64_t PixelsOf(const Tensor& pixels, const target::Machine& machine) {
  const int64_t row = ConstExtent(pixels, pixels->shape().size() - 2);
  const int64_t whole = PixelsAtATime(row, pixels->dtype(), machine);
  return whole != 0 ? whole : std::gcd(row, machine.Lanes(pixels->dtype()));
}

}  // namespace

std::string WhyNotInterleaved(const ir::Op& result, const target::Machine& machine) {
  const Tensor pixels = ir::OutputOf(result, 0);
  const int64_t channels = ConstExtent(pixels, pixels->shape().size() - 1);
  if (channels < 2 || channels > 4) return "its pixels have not 2 to 4 channels";
  if (pixels->dtype().bits() < 8 || !pixels->dtype().is_scalar())
    return "its elements are no bytes";
  if (!PartOf(result, part::kPlanes)) return "its planes are no stage";
  return PixelsOf(pixels, machine) >= machine.Lanes(kFloat)
             ? ""
             : "vectors do not divide a row of pixels";
}

void ScheduleInterleaved(const OperatorWork& work) {
  const Tensor& y = work.result;
  const Tensor planes = ir::OutputOf(PartOf(y->op, part::kPlanes), 0);
  const size_t channel = y->shape().size() - 1, row = channel - 1;
  const int64_t pixels = PixelsOf(y, work.machine);
  schedule::Stage& stage = work.schedule[y];
  const auto [outer, inner] = schedule::Split(stage, AxisOf(y, row), pixels);
  schedule::Tensorize(stage, inner, Interleave(pixels, ConstExtent(y, channel), y->dtype()));
  double elements = 1;
  std::vector<IterVar> loops;
  for (size_t d = 0; d <= channel; ++d) {
    elements *= static_cast<double>(ConstExtent(y, d));
    if (d < row) loops.push_back(AxisOf(y, d));
  }
  schedule::Stage& computed = work.schedule[planes];
  schedule::ComputeAt(computed, stage, outer);
  schedule::Unroll(computed, AxisOf(planes, row));
  VectorizeRow(computed, AxisOf(planes, channel), work.machine.Lanes(kFloat));
  if (!loops.empty() && WorthThreads(4 * elements)) {
    schedule::Parallel(stage, loops.size() == 1 ? loops[0] : schedule::Fuse(stage, loops));
  }
}

Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine, Config config) {
  const Tensor x = te::Placeholder({ir::Int(rows), ir::Int(columns)}, kFloat, "x");
  const Tensor y = ops::Transpose(x);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleTranspose({s, y, machine, config});
  return {s, {x, y}};
}

Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine, Config config) {
  std::vector<Tensor> args;
  for (const int64_t extent : columns) {
    args.push_back(te::Placeholder({ir::Int(rows), ir::Int(extent)}, kFloat,
                                   "x" + std::to_string(args.size())));
  }
  const Tensor y = ops::ConcatColumns(args);
  Schedule s = schedule::CreateSchedule({y->op});
  ScheduleConcatColumns({s, y, machine, config});
  args.push_back(y);
  return {s, args};
}

}  // namespace lathe::topi::cpu
