// Images of other sizes and parts of images: compared with loops that follow the operators'
// definitions, pixel by pixel.
#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/import/tensorflow/import_checks.h"
#include "gtest/gtest.h"

namespace lathe::graph::tensorflow {
namespace {

using runtime::Tensor;
using Numbers = std::vector<float>;

// Values without order, between -1 and 1.
Numbers Some(int64_t count) {
  Numbers values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 37 + i * i * 11) % 101) / 50 - 1);
  }
  return values;
}

void ExpectNear(const Numbers& found, const Numbers& expected, float tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

struct Case {
  int64_t in_height, in_width, out_height, out_width;
  bool corners = false, half_pixel = false;
};
constexpr Case kCases[] = {{5, 4, 9, 11},
                           {5, 4, 9, 11, true},
                           {5, 4, 9, 11, false, true},
                           {9, 7, 4, 3},
                           {9, 7, 4, 3, true},
                           {9, 7, 4, 3, false, true},
                           {6, 6, 3, 2},
                           {1, 5, 4, 1},
                           {1, 5, 4, 1, true},
                           {1, 5, 4, 1, false, true}};

std::string Resize(const std::string& op, const Case& c, const std::vector<int64_t>& shape) {
  return GraphBytes(
      {Input("x", shape),
       Int32s("s", {2}, {static_cast<int32_t>(c.out_height), static_cast<int32_t>(c.out_width)}),
       {"y",
        op,
        {"x", "s"},
        {BoolOf("align_corners", c.corners), BoolOf("half_pixel_centers", c.half_pixel)}}});
}

using Weight = std::function<double(double place, double scale, int64_t element, int64_t in)>;

// Each element times its weight in both dimensions, summed.
Numbers Reference(const Case& c, const Numbers& image, int64_t channels, const Weight& weight) {
  const auto scale = [&](int64_t in, int64_t out) {
    return c.corners && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1)
                                : static_cast<double>(in) / static_cast<double>(out);
  };
  const double by_height = scale(c.in_height, c.out_height);
  const double by_width = scale(c.in_width, c.out_width);
  Numbers out;
  for (int64_t i = 0; i < c.out_height; ++i) {
    for (int64_t j = 0; j < c.out_width; ++j) {
      for (int64_t k = 0; k < channels; ++k) {
        double sum = 0;
        for (int64_t y = 0; y < c.in_height; ++y) {
          for (int64_t x = 0; x < c.in_width; ++x) {
            const auto at = static_cast<size_t>((y * c.in_width + x) * channels + k);
            sum += weight(static_cast<double>(i), by_height, y, c.in_height) *
                   weight(static_cast<double>(j), by_width, x, c.in_width) *
                   static_cast<double>(image[at]);
          }
        }
        out.push_back(static_cast<float>(sum));
      }
    }
  }
  return out;
}

double Cubic(double distance, double a) {
  const double x = std::abs(distance);
  if (x < 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// Elements outside are those of the border, or have no weight with half_pixel_centers.
Weight CubicWeight(bool half_pixel) {
  return [half_pixel](double i, double scale, int64_t element, int64_t in) {
    const double place = half_pixel ? (i + 0.5) * scale - 0.5 : i * scale;
    const auto low = static_cast<int64_t>(std::floor(place));
    double own = 0, all = 0;
    for (int64_t e = low - 1; e <= low + 2; ++e) {
      if (half_pixel && (e < 0 || e >= in)) continue;
      const double weight = Cubic(place - static_cast<double>(e), half_pixel ? -0.5 : -0.75);
      all += weight;
      if (std::clamp<int64_t>(e, 0, in - 1) == element) own += weight;
    }
    return half_pixel ? own / all : own;
  };
}

TEST(Resizes, Bicubic) {
  for (const Case& c : kCases) {
    const Numbers image = Some(c.in_height * c.in_width * 2);
    const Tensor x = FloatTensor(image, {1, c.in_height, c.in_width, 2});
    const Numbers expected = Reference(c, image, 2, CubicWeight(c.half_pixel));
    const ImportedModel known = Import(Resize("ResizeBicubic", c, {1, c.in_height, c.in_width, 2}));
    // TensorFlow's weights are those of the nearest of 1024 places.
    ExpectNear(ResultOf(known, {x}), expected, 3e-3F);
    const ImportedModel open = Import(Resize("ResizeBicubic", c, {-1, -1, c.in_width, 2}));
    ExpectNear(ResultOf(open, {x}), expected, 1e-4F);
  }
  // Where all places are among the 1024, there is no difference.
  const Case twice{4, 4, 8, 8, false, true};
  const Numbers image = Some(16);
  ExpectNear(ResultOf(Import(Resize("ResizeBicubic", twice, {1, 4, 4, 1})),
                      {FloatTensor(image, {1, 4, 4, 1})}),
             Reference(twice, image, 1, CubicWeight(true)), 1e-6F);
}

TEST(Resizes, Area) {
  const Weight covered = [](double i, double scale, int64_t element, int64_t in) {
    double sum = 0, all = 0;
    for (auto e = static_cast<int64_t>(i * scale); static_cast<double>(e) < (i + 1) * scale; ++e) {
      const auto begin = static_cast<double>(e);
      const double part = std::min(begin + 1, (i + 1) * scale) - std::max(begin, i * scale);
      all += part;
      if (std::min(e, in - 1) == element) sum += part;
    }
    return all == 0 ? (element == 0 ? 1 : 0) : sum / all;
  };
  for (const Case& c : kCases) {
    if (c.half_pixel) continue;
    const Numbers image = Some(c.in_height * c.in_width * 2);
    const ImportedModel model = Import(Resize("ResizeArea", c, {1, c.in_height, c.in_width, 2}));
    ExpectNear(ResultOf(model, {FloatTensor(image, {1, c.in_height, c.in_width, 2})}),
               Reference(c, image, 2, covered), 1e-5F);
  }
  EXPECT_TRUE(Has(ErrorOf(Resize("ResizeArea", {4, 4, 2, 2}, {1, -1, 4, 1})), "a known size"));
}

TEST(Resizes, WhatIsRefused) {
  for (const char* op : {"ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor"}) {
    EXPECT_TRUE(Has(ErrorOf(Resize(op, {4, 4, 2, 2, true, true}, {1, 4, 4, 1})), "one of them"));
    EXPECT_TRUE(Has(ErrorOf(Resize(op, {4, 4, 2, 2}, {4, 4, 1})), "4 dimensions"));
  }
  for (const char* op : {"ResizeBicubic", "ResizeArea"}) {
    EXPECT_TRUE(Has(ErrorOf(Resize(op, {4, 4, 0, 2}, {1, 4, 4, 1})), "an impossible size"));
    EXPECT_TRUE(Has(ErrorOf(Resize(op, {4, 4, 2, 2}, {1, 0, 4, 1})), "an impossible size"));
    EXPECT_TRUE(
        Has(ErrorOf(GraphBytes(
                {Input("x", {1, 4, 4, 1}), Int32s("s", {3}, {1, 2, 3}), {"y", op, {"x", "s"}}})),
            "the wrong length"));
  }
  // Pictures of whole numbers become floats.
  const ImportedModel bytes = Import(GraphBytes(
      {Input("x", {1, 4, 4, 1}, 4), Int32s("s", {2}, {2, 2}), {"y", "ResizeArea", {"x", "s"}}}));
  EXPECT_EQ(TypeOfResult(bytes), "float32[1, 2, 2, 1]");
}

// -- Parts of images.

constexpr int64_t kHeight = 5, kWidth = 6;

float CropAt(const Numbers& images, const Numbers& box, int32_t image, const int64_t size[2],
             int64_t i, int64_t j, bool nearest) {
  const auto place = [&](int64_t at, int64_t out, float low, float high, int64_t in) {
    const auto last = static_cast<double>(in - 1);
    const double a = static_cast<double>(low) * last, b = static_cast<double>(high) * last;
    if (out == 1) return (a + b) / 2;
    return a + static_cast<double>(at) * (b - a) / static_cast<double>(out - 1);
  };
  const double y = place(i, size[0], box[0], box[2], kHeight);
  const double x = place(j, size[1], box[1], box[3], kWidth);
  if (!(y >= 0 && y <= kHeight - 1 && x >= 0 && x <= kWidth - 1)) return 7;
  const auto element = [&](double row, double column) {
    const auto at = (image * kHeight + static_cast<int64_t>(row)) * kWidth;
    return static_cast<double>(images[static_cast<size_t>(at + static_cast<int64_t>(column))]);
  };
  if (nearest) return static_cast<float>(element(std::round(y), std::round(x)));
  const double down = y - std::floor(y), right = x - std::floor(x);
  const auto row = [&](double at) {
    return element(at, std::floor(x)) * (1 - right) + element(at, std::ceil(x)) * right;
  };
  return static_cast<float>(row(std::floor(y)) * (1 - down) + row(std::ceil(y)) * down);
}

std::string Crops(const std::vector<TestNode>& inputs, std::vector<std::string> attributes = {}) {
  std::vector<TestNode> nodes = inputs;
  nodes.push_back({"y", "CropAndResize", {"x", "b", "i", "s"}, std::move(attributes)});
  return GraphBytes(nodes);
}

TEST(Crops, PartsOfOneSize) {
  const Numbers images = Some(2 * kHeight * kWidth);
  // The whole, a part, a part that is mirrored, one that is partly outside, one without extent.
  const std::vector<Numbers> boxes{{0, 0, 1, 1},
                                   {0.1F, 0.25F, 0.7F, 0.6F},
                                   {0.9F, 0.8F, 0.2F, 0.1F},
                                   {-0.5F, 0.5F, 0.5F, 1.5F},
                                   {0.4F, 0.4F, 0.4F, 0.4F}};
  const std::vector<int32_t> owners{0, 1, 1, 0, 1};
  const std::vector<std::pair<int32_t, int32_t>> sizes{{3, 4}, {1, 7}, {8, 1}};
  Numbers all;
  for (const Numbers& box : boxes) all.insert(all.end(), box.begin(), box.end());
  for (const bool nearest : {false, true}) {
    for (const auto& [height, width] : sizes) {
      const ImportedModel model =
          Import(Crops({Input("x", {2, kHeight, kWidth, 1}), Input("b", {-1, 4}),
                        Input("i", {-1}, 3), Int32s("s", {2}, {height, width})},
                       {TextOf("method", nearest ? "nearest" : "bilinear"),
                        FloatOf("extrapolation_value", 7)}),
                 {.shapes = {{"b", {"n", 4}}, {"i", {"n"}}}});
      const int64_t size[2] = {height, width};
      Numbers expected;
      for (size_t n = 0; n < boxes.size(); ++n) {
        for (int64_t i = 0; i < height; ++i) {
          for (int64_t j = 0; j < width; ++j) {
            expected.push_back(CropAt(images, boxes[n], owners[n], size, i, j, nearest));
          }
        }
      }
      ExpectNear(ResultOf(model, {FloatTensor(images, {2, kHeight, kWidth, 1}),
                                  FloatTensor(all, {5, 4}), Int32Tensor(owners, {5})}),
                 expected, 1e-5F);
    }
  }
}

TEST(Crops, WhatIsRefused) {
  const TestNode x = Input("x", {2, 5, 6, 1}), b = Input("b", {3, 4}), i = Input("i", {3}, 3);
  const TestNode s = Int32s("s", {2}, {2, 2});
  EXPECT_EQ(ErrorOf(Crops({x, b, i, s})), "");
  EXPECT_TRUE(Has(ErrorOf(Crops({Input("x", {5, 6, 1}), b, i, s})), "4 dimensions"));
  EXPECT_TRUE(Has(ErrorOf(Crops({Input("x", {2, -1, 6, 1}), b, i, s})), "a known size"));
  EXPECT_TRUE(Has(ErrorOf(Crops({x, Input("b", {3, 5}), i, s})), "wrong boxes"));
  EXPECT_TRUE(Has(ErrorOf(Crops({x, b, Input("i", {3, 1}, 3), s})), "box_ind"));
  EXPECT_TRUE(Has(ErrorOf(Crops({x, b, Int32s("i", {3}, {0, 2, 0}), s})), "is not there"));
  EXPECT_TRUE(Has(ErrorOf(Crops({x, b, i, Int32s("s", {2}, {2, 0})})), "crop_size"));
  EXPECT_TRUE(Has(ErrorOf(Crops({x, b, i, s}, {TextOf("method", "cubic")})), "unknown method"));
}

}  // namespace
}  // namespace lathe::graph::tensorflow
