#include "tools/lathe/picture.h"

#include <cstring>

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

Picture Grid(int64_t height, int64_t width) {
  Picture out{width, height, {}};
  for (int64_t i = 0; i < height * width * 3; ++i)
    out.pixels.push_back(static_cast<uint8_t>(i * 37 % 251));
  return out;
}

void ExpectNearly(const Picture& found, const std::vector<uint8_t>& expected) {
  ASSERT_EQ(found.pixels.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.pixels[i], expected[i], 1) << i;
}

// The same picture, resized by Pillow 12 with Image.BILINEAR.
TEST(Picture, ResizesAsPillowDoes) {
  const Picture picture = Grid(5, 4);
  ExpectNearly(Resize(picture, 2, 2), {124, 125, 113, 127, 98, 133, 127, 128, 116, 143, 114, 136});
  ExpectNearly(
      Resize(picture, 3, 6),
      {83,  120, 49,  85,  122, 105, 105, 118, 155, 178, 96,  133, 127, 93,  130, 57,  94,  131,
       135, 172, 153, 163, 130, 111, 176, 97,  88,  120, 134, 161, 134, 101, 138, 161, 59,  96,
       44,  81,  118, 100, 137, 120, 156, 169, 116, 157, 75,  94,  142, 108, 145, 126, 163, 200});
  EXPECT_EQ(Resize(picture, 5, 4).pixels, picture.pixels);
}

TEST(Picture, ShorterSideAndMiddle) {
  const Picture wide = ResizeShorterSide(Grid(398, 600), 256);
  EXPECT_EQ(wide.height, 256);
  EXPECT_EQ(wide.width, 386);  // 385.9
  const Picture high = ResizeShorterSide(Grid(600, 398), 256);
  EXPECT_EQ(high.height, 386);
  const Picture picture = Grid(6, 5);
  const Picture middle = *CropCentre(picture, 2, 3);
  EXPECT_EQ(middle.pixels[0], picture.pixels[(2 * 5 + 1) * 3]);
  EXPECT_EQ(runtime::StatusName(CropCentre(picture, 7, 3).status()), "picture-crop");
}

TEST(Picture, BecomesATensor) {
  const Picture picture{2, 1, {0, 51, 255, 102, 0, 51}};
  PictureNumbers numbers{.mean = {0.5, 0, 0}, .deviation = {0.5, 1, 1}};
  const runtime::Tensor first = *TensorOf(picture, DataType::Float(32), numbers);
  const float* data = first.HostData<float>();
  EXPECT_EQ(first.ToString(), "float32[1, 3, 1, 2] on cpu:0");
  EXPECT_FLOAT_EQ(data[0], -1);
  EXPECT_FLOAT_EQ(data[1], -0.2F);
  EXPECT_FLOAT_EQ(data[2], 0.2F);
  EXPECT_FLOAT_EQ(data[4], 1);
  numbers = {.layout = PictureLayout::kChannelsLast, .bgr = true, .divide = 1};
  const runtime::Tensor last = *TensorOf(picture, DataType::UInt(8), numbers);
  EXPECT_EQ(last.ToString(), "uint8[1, 1, 2, 3] on cpu:0");
  EXPECT_EQ(std::memcmp(last.HostData<uint8_t>(), "\xff\x33\x00\x33\x00\x66", 6), 0);
  numbers.channels = 1;
  EXPECT_EQ(TensorOf(picture, DataType::UInt(8), numbers)->ToString(),
            "uint8[1, 1, 2, 1] on cpu:0");
}

TEST(Picture, RefusesWhatCannotBe) {
  const Picture picture{1, 1, {255, 0, 0}};
  const PictureNumbers bytes{.divide = 1};
  for (const DataType dtype : {DataType::Int(8), DataType::Bool()}) {
    EXPECT_EQ(runtime::StatusName(TensorOf(picture, dtype, bytes).status()), "picture-type");
  }
  EXPECT_EQ(runtime::StatusName(DecodePicture("GIF89a", "a.gif").status()), "picture-malformed");
  // The head of a JPEG file of 65,500 x 65,500 pixels.
  constexpr char kHuge[] =
      "\xff\xd8\xff\xc0\x00\x11\x08\xff\xdc\xff\xdc\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"
      "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00";
  const auto huge = DecodePicture({kHuge, sizeof kHuge - 1}, "huge.jpg");
  EXPECT_EQ(runtime::StatusName(huge.status()), "picture-size") << huge.status();
}

}  // namespace
}  // namespace lathe::cli
