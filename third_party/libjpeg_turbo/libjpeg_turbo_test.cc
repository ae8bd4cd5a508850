#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <jpeglib.h>

#include "gtest/gtest.h"

namespace lathe {
namespace {

TEST(LibjpegTurboTest, WritesAndReadsBack) {
  jpeg_compress_struct writer{};
  jpeg_error_mgr errors{};
  writer.err = jpeg_std_error(&errors);
  jpeg_create_compress(&writer);
  unsigned char* file = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int)
  jpeg_mem_dest(&writer, &file, &size);
  writer.image_width = 16;
  writer.image_height = 8;
  writer.input_components = 3;
  writer.in_color_space = JCS_RGB;
  jpeg_set_defaults(&writer);
  jpeg_set_quality(&writer, 100, TRUE);
  jpeg_start_compress(&writer, TRUE);
  std::vector<JSAMPLE> row;
  for (int i = 0; i < 16; ++i) row.insert(row.end(), {200, 100, 50});
  JSAMPROW rows[] = {row.data()};
  while (writer.next_scanline < writer.image_height) jpeg_write_scanlines(&writer, rows, 1);
  jpeg_finish_compress(&writer);
  jpeg_destroy_compress(&writer);

  jpeg_decompress_struct reader{};
  reader.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&reader);
  jpeg_mem_src(&reader, file, size);
  ASSERT_EQ(jpeg_read_header(&reader, TRUE), JPEG_HEADER_OK);
  ASSERT_TRUE(jpeg_start_decompress(&reader));
  EXPECT_EQ(reader.output_width, 16U);
  EXPECT_EQ(reader.output_height, 8U);
  std::vector<JSAMPLE> back(16 * 3);
  JSAMPROW back_rows[] = {back.data()};
  ASSERT_EQ(jpeg_read_scanlines(&reader, back_rows, 1), 1U);
  for (size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], row[i], 2);
  jpeg_destroy_decompress(&reader);
  std::free(file);
}

}  // namespace
}  // namespace lathe
