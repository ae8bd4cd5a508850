#include "topi/ops/image.h"

#include "base/error.h"
#include "ir/intrinsic.h"
#include "topi/anchor.h"
#include "topi/ops/operands.h"
#include "topi/part_names.h"

namespace lathe::topi::ops {
namespace {

using ir::Const;
using ir::Expr;
using ir::Tensor;

constexpr int64_t kChannels = 3;

// Coefficients for integers, in units of 2^-14.
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

// A colour difference, moved to the middle of the range.
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

Tensor RgbToYuv(const Tensor& x) {
  const Operands check("rgb_to_yuv");
  check.HaveRank({"x", x}, 2, 2, "2 (pixels, channels)");
  check.InRange("the number of channels", check.Constant({"x", x}, 1), kChannels, kChannels);
  const DataType dtype = x->dtype();
  if (dtype != DataType::Float(32) && dtype != DataType::UInt(8)) {
    throw Error(Diagnostic{.name = "topi-image-type",
                           .message = "images of this element type are not converted",
                           .expected = "float32 or uint8",
                           .found = dtype.ToString(),
                           .help = "convert the image first"});
  }
  const DataType wide = dtype.is_float() ? dtype : DataType::Int(32);
  const Expr pixels = x->shape()[0];
  const te::Shape interleaved = {pixels, ir::Int(kChannels)}, planar = {ir::Int(kChannels), pixels};
  const auto by_plane = [](const char* part) {
    return te::ComputeOptions{.attrs = PartAttrs(kRgbToYuv, part),
                              .axis_names = {"channel", "pixel"}};
  };
  const Tensor rgb = te::Compute(
      planar, [&](const te::Indices& i) { return te::At(x, {i[1], i[0]}); }, "rgb",
      by_plane("rgb"));
  const auto colour = [&](int64_t channel, const Expr& pixel) {
    return ir::MakeCast(wide, te::At(rgb, {ir::Int(channel), pixel}));
  };
  const Tensor luma = te::Compute(
      {pixels},
      [&](const te::Indices& i) { return Luma(colour(0, i[0]), colour(1, i[0]), colour(2, i[0])); },
      "luma", {.attrs = PartAttrs(kRgbToYuv, part::kLuma), .axis_names = {"pixel"}});
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
      "yuv", by_plane("yuv"));
  return te::Compute(interleaved, [&](const te::Indices& i) { return te::At(yuv, {i[1], i[0]}); },
                     "y", {.attrs = AnchorAttrs(kRgbToYuv), .axis_names = {"pixel", "channel"}});
}

}  // namespace lathe::topi::ops
