#include <png.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace lathe {
namespace {

TEST(LibpngTest, WritesAndReadsBack) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 3;
  image.height = 2;
  image.format = PNG_FORMAT_RGB;
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 60, 50, 40, 30, 20, 255};
  std::vector<uint8_t> file(4096);
  png_alloc_size_t size = file.size();
  ASSERT_TRUE(png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr));

  png_image read{};
  read.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&read, file.data(), size));
  read.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> back(PNG_IMAGE_SIZE(read));
  ASSERT_TRUE(png_image_finish_read(&read, nullptr, back.data(), 0, nullptr));
  EXPECT_EQ(back, pixels);
}

TEST(LibpngTest, RefusesWhatIsNoPicture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_FALSE(png_image_begin_read_from_memory(&image, "no picture at all", 17));
}

}  // namespace
}  // namespace lathe
