// Colours of images as other coordinates.
#include "graph/ops/define.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {
namespace {

// The type of the result: as `data`, with `channels` along `axis`.
TypeResult ColourType(const TypeContext& c, int64_t channels) {
  const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
  c.NeedExtent(0, axis, ir::Int(3, DataType::Int(64)), "the channels");
  Shape out = c.shape(0);
  out[axis] = ir::Int(channels, DataType::Int(64));
  return TensorOf(c.dtype(0), std::move(out));
}

// Each result channel from the three channels of a pixel.
OpDef Colour(std::string name, std::string doc, std::string channels, size_t count,
             std::function<std::vector<Expr>(const std::vector<Expr>& pixel)> map) {
  return {
      .name = std::move(name),
      .doc = std::move(doc),
      .inputs = {{"data", "the image, with the channels " + channels + " along `axis`", kFloats}},
      .attrs = {Int("axis", "the dimension of the channels", -1)},
      .kind = OpKind::kInjective,
      .type = [count](const TypeContext& c) { return ColourType(c, static_cast<int64_t>(count)); },
      .compute =
          [map](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> pixel, at = AsExprs(i);
                  for (const int64_t channel : {0, 1, 2}) {
                    at[axis] = ir::Int(channel, i[axis]->dtype);
                    pixel.push_back(At(c.in(0), at));
                  }
                  const std::vector<Expr> out = map(pixel);
                  Expr value = out.back();
                  for (size_t k = out.size() - 1; k-- > 0;) {
                    const Expr number = Num(static_cast<int64_t>(k), i[axis]->dtype);
                    value = ir::MakeSelect(ir::Equal(i[axis], number), out[k], value);
                  }
                  return value;
                },
                "image");
          },
      .examples = {{{"T[n, 4, 3] in 0:1"}}, {{"T[2, 3, n, 5] in 0:1"}, {{"axis", IntAttr(1)}}}}};
}

// Rows of a matrix times the pixel.
std::function<std::vector<Expr>(const std::vector<Expr>&)> Matrix(
    std::vector<std::vector<double>> rows) {
  return [rows = std::move(rows)](const std::vector<Expr>& pixel) {
    std::vector<Expr> out;
    for (const std::vector<double>& row : rows) {
      Expr sum = Num(row[0], pixel[0]->dtype) * pixel[0];
      for (const size_t k : {1, 2}) sum = sum + Num(row[k], pixel[k]->dtype) * pixel[k];
      out.push_back(sum);
    }
    return out;
  };
}

std::vector<Expr> Hsv(const std::vector<Expr>& pixel) {
  const Expr &r = pixel[0], &g = pixel[1], &b = pixel[2];
  const DataType dtype = r->dtype;
  const auto num = [&](double value) { return Num(value, dtype); };
  const Expr most = ir::MakeMax(ir::MakeMax(r, g), b), least = ir::MakeMin(ir::MakeMin(r, g), b);
  const Expr range = most - least;
  const auto safe = [&](const Expr& x) { return ir::MakeSelect(ir::Equal(x, num(0)), num(1), x); };
  const Expr sixth = num(1) / (num(6) * safe(range));
  const Expr hue = ir::MakeSelect(ir::Equal(most, r), (g - b) * sixth,
                                  ir::MakeSelect(ir::Equal(most, g), (b - r) * sixth + num(2.0 / 6),
                                                 (r - g) * sixth + num(4.0 / 6)));
  return {ir::MakeSelect(hue < num(0), hue + num(1), hue), range / safe(most), most};
}

}  // namespace

std::vector<OpDef> Colours() {
  return {
      Colour("image.rgb_to_grayscale",
             "Brightness: 0.2989 r + 0.587 g + 0.114 b, as one channel [TensorFlow's rule].",
             "red, green and blue", 1, Matrix({{0.2989, 0.587, 0.114}})),
      Colour("image.rgb_to_yuv", "Brightness and two colour differences [TensorFlow's rule].",
             "red, green and blue", 3,
             Matrix({{0.299, 0.587, 0.114},
                     {-0.14714119, -0.28886916, 0.43601035},
                     {0.61497538, -0.51496512, -0.10001026}})),
      Colour("image.yuv_to_rgb", "The inverse of image.rgb_to_yuv [TensorFlow's rule].", "y, u, v",
             3, Matrix({{1, 0, 1.13988303}, {1, -0.394642334, -0.58062185}, {1, 2.03206185, 0}})),
      Colour("image.rgb_to_hsv",
             "Hue in [0, 1), saturation and value [Smith, 1978; TensorFlow's rule]. Grey has the "
             "hue 0.",
             "red, green and blue", 3, Hsv)};
}

}  // namespace lathe::graph::ops
