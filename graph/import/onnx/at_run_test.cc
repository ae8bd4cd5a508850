// Inputs that decide shapes or limits, known at import and bound while running: the same results.
// And what later versions of ONNX's operators have more.
#include "graph/import/onnx/test_nodes.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

void ExpectNear(const std::vector<std::vector<float>>& a,
                const std::vector<std::vector<float>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (size_t k = 0; k < a[i].size(); ++k) EXPECT_NEAR(a[i][k], b[i][k], 1e-5) << k;
  }
}

// The results with the inputs `late` known at import, and bound while running. Those in `always`
// are known in any case.
void ExpectSame(const TestNode& node, const std::vector<Given>& inputs, const std::string& late,
                const std::string& always = "") {
  ExpectNear(ResultsOf(node, inputs, {}, late + always), ResultsOf(node, inputs, {}, always));
}

Given Counted(std::vector<int64_t> shape) {
  Given given{{}, std::move(shape)};
  int64_t count = 1;
  for (const int64_t extent : given.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) given.values.push_back(static_cast<float>(i * i % 17));
  return given;
}

TEST(AtRun, AntialiasedResize) {
  for (const char* mode : {"linear", "cubic"}) {
    for (const int64_t exclude : {0, 1}) {
      const TestNode node{"Resize",
                          {"a", "", "", "b"},
                          {"y"},
                          {StringAttribute("mode", mode), IntAttribute("antialias", 1),
                           IntAttribute("exclude_outside", exclude)}};
      ExpectSame(node, {Counted({1, 2, 6, 7}), {{1, 2, 3, 9}, {4}, kLongs}}, "b");
    }
  }
}

TEST(AtRun, WindowsOfCol2Im) {
  const TestNode node{"Col2Im",
                      {"a", "b", "c"},
                      {"y"},
                      {IntsAttribute("pads", {0, 1, 0, 1}), IntsAttribute("strides", {1, 2}),
                       IntsAttribute("dilations", {2, 1})}};
  // An image [5, 6], windows [2, 3]: 3 x 3 of them, for 2 channels.
  ExpectSame(node, {Counted({1, 12, 9}), {{5, 6}, {2}, kLongs}, {{2, 3}, {2}, kLongs}}, "bc");
  const TestNode line{"Col2Im", {"a", "b", "c"}, {"y"}};
  ExpectSame(line, {Counted({2, 4, 5}), {{6}, {1}, kLongs}, {{2}, {1}, kLongs}}, "bc");
}

TEST(AtRun, LimitsOfNonMaxSuppression) {
  const Given boxes{{0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 0, 2, 1, 3, 0, 2.1F, 1, 3.1F}, {1, 4, 4}};
  const Given scores{{0.9F, 0.8F, 0.7F, 0.6F, 0.1F, 0.2F, 0.3F, 0.4F}, {1, 2, 4}};
  const TestNode node{"NonMaxSuppression", {"a", "b", "c", "d", "e"}, {"y"}};
  for (const float most : {0.F, 1.F, 3.F}) {
    for (const float overlap : {0.3F, 0.95F}) {
      for (const float least : {0.F, 0.35F}) {
        ExpectSame(node, {boxes, scores, {{most}, {1}, kLongs}, {{overlap}, {1}}, {{least}, {1}}},
                   "cde");
      }
    }
  }
}

// The results for an image whose size is known at import, and for one whose size is not.
void ExpectSameIfOpen(const TestNode& node, const std::vector<int64_t>& shape,
                      const std::vector<std::string>& initializers = {}) {
  Given image = Counted(shape);
  for (float& value : image.values) value -= 9;  // a frame of zeros is not the least
  ExpectNear(ResultsOf(node, {image}, initializers, "", 24, /*open=*/true),
             ResultsOf(node, {image}, initializers));
}

TEST(AtRun, FramesOfWindows) {
  const std::vector<float> filter{1, 2, 0, -1, 3, 1, 1, 0, -2, 1, 0, 1, 2, -1, 1, 0, 1, 3};
  for (const char* how : {"SAME_UPPER", "SAME_LOWER"}) {
    for (const std::vector<int64_t>& size : {std::vector<int64_t>{7, 10}, {8, 9}, {1, 2}}) {
      const std::vector<int64_t> shape{1, 2, size[0], size[1]};
      ExpectSameIfOpen({"Conv",
                        {"a", "w"},
                        {"y"},
                        {StringAttribute("auto_pad", how), IntsAttribute("strides", {2, 3}),
                         IntsAttribute("dilations", {1, 2})}},
                       shape, {FloatTensor("w", {1, 2, 3, 3}, filter)});
      ExpectSameIfOpen({"MaxPool",
                        {"a"},
                        {"y"},
                        {StringAttribute("auto_pad", how), IntsAttribute("strides", {2, 2}),
                         IntsAttribute("kernel_shape", {3, 2})}},
                       shape);
    }
  }
}

TEST(AtRun, AxesThatAResizeKeeps) {
  const TestNode node{"Resize",
                      {"a", "", "s"},
                      {"y"},
                      {StringAttribute("mode", "linear"),
                       StringAttribute("coordinate_transformation_mode", "align_corners")}};
  const std::vector<std::string> scales{FloatTensor("s", {4}, {1, 1, 2, 1.5F})};
  ExpectSameIfOpen(node, {2, 3, 4, 6}, scales);
  const ImportedModel model = ImportNode(node, {Counted({2, 3, 4, 6})}, scales, "", 24, true);
  const auto& type =
      static_cast<const ir::TensorType&>(*model.module->functions[0]->body->result->type);
  EXPECT_TRUE(ir::IsConstInt(type.shape[0], 2) && ir::IsConstInt(type.shape[1], 3));
}

TEST(Unique, Slices) {
  const auto unique = [](const Given& x, int64_t axis, int64_t sorted) {
    return ResultsOf({"Unique",
                      {"a"},
                      {"y", "first", "inverse", "counts"},
                      {IntAttribute("axis", axis), IntAttribute("sorted", sorted)}},
                     {x});
  };
  using Rows = std::vector<std::vector<float>>;
  const Given rows{{2, 0, 1, 1, 0, 0, 2, 0, 1, 1, -3, 5}, {4, 3}};
  EXPECT_EQ(unique(rows, 0, 1),
            (Rows{{1, -3, 5, 1, 0, 0, 2, 0, 1}, {3, 1, 0}, {2, 1, 2, 0}, {1, 1, 2}}));
  EXPECT_EQ(unique(rows, 0, 0),
            (Rows{{2, 0, 1, 1, 0, 0, 1, -3, 5}, {0, 1, 3}, {0, 1, 0, 2}, {2, 1, 1}}));
  // Columns of each of two matrices.
  const Given columns{{1, 0, 1, 1, 1, 1, 0, 0, 0, 2, 0, 2}, {2, 2, 3}};
  EXPECT_EQ(unique(columns, -1, 1), (Rows{{0, 1, 1, 1, 0, 0, 0, 2}, {1, 0}, {1, 0, 1}, {1, 2}}));
  const Given bytes{{7, 7, 7, 9}, {2, 2}, kBytes};
  EXPECT_EQ(unique(bytes, 1, 1)[0], (std::vector<float>{7, 7, 7, 9}));
}

TEST(BitShift, DistancesThatAreTooLarge) {
  const Given numbers{{-8, -8, -8, 8}, {4}, kInts}, distances{{1, 32, -1, 40}, {4}, kInts};
  const auto shift = [&](const std::string& direction) {
    return ResultsOf({"BitShift", {"a", "b"}, {"y"}, {StringAttribute("direction", direction)}},
                     {numbers, distances})[0];
  };
  EXPECT_EQ(shift("RIGHT"), (std::vector<float>{-4, -1, -1, 0}));
  EXPECT_EQ(shift("LEFT"), (std::vector<float>{-16, 0, 0, 0}));
}

TEST(SpaceToDepth, ChannelsBeforePlaces) {
  const Given image{{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 2}};
  const auto depth = [&](const std::string& mode) {
    return ResultsOf({"SpaceToDepth",
                      {"a"},
                      {"y"},
                      {IntAttribute("blocksize", 2), StringAttribute("mode", mode)}},
                     {image})[0];
  };
  EXPECT_EQ(depth("DCR"), (std::vector<float>{1, 5, 2, 6, 3, 7, 4, 8}));
  EXPECT_EQ(depth("CRD"), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Cast, FloatsOfFourBits) {
  const TestNode node{"QuantizeLinear", {"a", "s"}, {"q"}, {IntAttribute("output_dtype", 23)}};
  // The bits: ties to even, the largest for what is too large, a sign.
  const std::vector<float> bits =
      ResultsOf(node, {{{0.5F, 1.25F, 5, 100, -6, 0.25F}, {6}}}, {FloatTensor("s", {}, {1})})[0];
  EXPECT_EQ(bits, (std::vector<float>{1, 2, 6, 7, 15, 0}));
}

TEST(Cast, PowersOfTwo) {
  const auto cast = [](const std::string& rounding) {
    const TestNode node{
        "Cast", {"a"}, {"y"}, {IntAttribute("to", 24), StringAttribute("round_mode", rounding)}};
    return ResultsOf(node, {{{1, 1.25F, 1.5F, 2}, {4}}})[0];
  };
  EXPECT_EQ(cast("up"), (std::vector<float>{127, 128, 128, 128}));
  EXPECT_EQ(cast("down"), (std::vector<float>{127, 127, 127, 128}));
  EXPECT_EQ(cast("nearest"), (std::vector<float>{127, 127, 128, 128}));
}

TEST(Cast, NumbersOfFewBitsKeepTheLowOnes) {
  const TestNode node{"Cast", {"a"}, {"y"}, {IntAttribute("to", 22)}};
  EXPECT_EQ(ResultsOf(node, {{{-9, -8, 7, 8}, {4}}})[0], (std::vector<float>{7, -8, 7, -8}));
}

}  // namespace
}  // namespace lathe::graph::onnx
