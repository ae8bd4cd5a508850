#include "topi/cpu/image.h"

#include "base/error.h"
#include "ir/intrinsic.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/interleave.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::Const;
using ir::Expr;
using ir::IterVar;
using ir::Tensor;
using schedule::AxisOf;
using schedule::Schedule;

constexpr int64_t kChannels = 3;

// Integers in units of 2^-14.
constexpr int kBits = 14;
constexpr int64_t kRed = 4899, kGreen = 9617, kBlue = 1868, kBlueScale = 8061, kRedScale = 14369;

Expr Rounded(const Expr& units) {
  return ir::ShiftRight(units + (1 << (kBits - 1)), ir::Int(kBits));
}

Expr Luma(const Expr& r, const Expr& g, const Expr& b) {
  const auto weight = [&](double value) { return Const(value, r->dtype); };
  if (r->dtype.is_float()) return r * weight(0.299) + (g * weight(0.587) + b * weight(0.114));
  return Rounded(r * kRed + (g * kGreen + b * kBlue));
}

// A difference of colour, moved to the middle of the range.
Expr Difference(const Expr& colour, const Expr& luma, double scale, int64_t units) {
  if (colour->dtype.is_float()) {
    return (colour - luma) * Const(scale, colour->dtype) + Const(0.5, colour->dtype);
  }
  return Rounded((colour - luma) * units + (int64_t{128} << kBits));
}

Expr Saturated(const Expr& value, DataType dtype) {
  if (dtype == value->dtype) return value;
  return ir::MakeCast(dtype, ir::MakeMax(ir::MakeMin(value, ir::Int(255)), ir::Int(0)));
}

}  // namespace

Kernel RgbToYuv(int64_t pixels, DataType dtype, const target::Machine& machine) {
  if (dtype != DataType::Float(32) && dtype != DataType::UInt(8)) {
    throw Error(Diagnostic{.name = "topi-image-type",
                           .message = "images of this element type are not converted",
                           .expected = "float32 or uint8",
                           .found = dtype.ToString(),
                           .help = "convert the image first"});
  }
  const DataType wide = dtype.is_float() ? dtype : DataType::Int(32);
  const te::Shape interleaved = {ir::Int(pixels), ir::Int(kChannels)},
                  planar = {ir::Int(kChannels), ir::Int(pixels)};
  const te::ComputeOptions by_plane = {.axis_names = {"channel", "pixel"}};
  const Tensor x = te::Placeholder(interleaved, dtype, "x");
  const Tensor rgb = te::Compute(
      planar, [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "rgb", by_plane);
  const auto colour = [&](int64_t channel, const Expr& pixel) {
    return ir::MakeCast(wide, te::At(rgb, {ir::Int(channel), pixel}));
  };
  const Tensor luma = te::Compute(
      {ir::Int(pixels)},
      [&](const te::Indices& i) { return Luma(colour(0, i[0]), colour(1, i[0]), colour(2, i[0])); },
      "luma", {.axis_names = {"pixel"}});
  const Tensor yuv = te::Compute(
      planar,
      [&](const te::Indices& i) {
        const Expr y = te::At(luma, {i[1]});
        const Expr u = Difference(colour(2, i[1]), y, 0.492, kBlueScale),
                   v = Difference(colour(0, i[1]), y, 0.877, kRedScale);
        return Saturated(ir::MakeSelect(ir::Equal(i[0], ir::Int(0)), y,
                                        ir::MakeSelect(ir::Equal(i[0], ir::Int(1)), u, v)),
                         dtype);
      },
      "yuv", by_plane);
  const Tensor y =
      te::Compute(interleaved, [&](const te::Indices& i) { return te::At(yuv, {i[1], i[0]}); }, "y",
                  {.axis_names = {"pixel", "channel"}});

  Schedule s = schedule::CreateSchedule({y->op});
  const int64_t whole = PixelsAtATime(pixels, dtype, machine);
  const int64_t lanes = whole != 0 ? whole : machine.Lanes(dtype);
  auto [block, lane] = schedule::Split(s[y], AxisOf(y, 0), lanes);
  IterVar at = block;
  if (WorthThreads(8.0 * static_cast<double>(pixels))) {
    auto [piece, within] = schedule::Split(s[y], block, 64);
    schedule::Parallel(s[y], piece);
    StreamResults(s[y], piece, kChannels * pixels * dtype.bytes());
    at = within;
  }
  // A vector of each channel at a time, in registers.
  for (const Tensor& stage : {rgb, luma, yuv}) {
    schedule::SetScope(s[stage], "local");
    schedule::ComputeAt(s[stage], s[y], at);
    const size_t dims = stage->shape().size();
    if (stage.same_as(rgb)) continue;
    if (dims == 2) schedule::Unroll(s[stage], AxisOf(stage, 0));
    VectorizeRow(s[stage], AxisOf(stage, dims - 1), machine.Lanes(wide));
  }
  if (whole != 0) {
    schedule::Tensorize(s[rgb], AxisOf(rgb, 0), Deinterleave(lanes, kChannels, dtype));
    schedule::Tensorize(s[y], lane, Interleave(lanes, kChannels, dtype));
  } else {
    schedule::Unroll(s[rgb], AxisOf(rgb, 0));
    schedule::Vectorize(s[rgb], AxisOf(rgb, 1));
    schedule::Reorder(s[y], {AxisOf(y, 1), lane});
    schedule::Unroll(s[y], AxisOf(y, 1));
    schedule::Vectorize(s[y], lane);
  }
  return {s, {x, y}};
}

}  // namespace lathe::topi::cpu
