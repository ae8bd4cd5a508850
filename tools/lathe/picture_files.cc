#include "tools/lathe/picture_files.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>

// After cstdio, which it needs.
#include <jpeglib.h>
#include <png.h>

#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;

// Both libraries report errors by a long jump. Between it and its target no object with a
// destructor may be made, so all of them are here, outside.
struct Reader {
  std::jmp_buf jump;
  std::string_view bytes;
  std::string error;
  absl::Status refused;
  Picture picture;
};

// -- PNG.

void PngFail(png_structp png, png_const_charp message) {
  auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
  reader->error = message;
  std::longjmp(reader->jump, 1);
}

void PngWarn(png_structp, png_const_charp) {}

void PngRead(png_structp png, png_bytep out, size_t size) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (size > reader->bytes.size()) png_error(png, "it is cut off");
  std::memcpy(out, reader->bytes.data(), size);
  reader->bytes.remove_prefix(size);
}

// Returns false after an error.
bool ReadPng(png_structp png, png_infop info, const std::string& name, Reader* reader) {
  if (setjmp(reader->jump) != 0) return false;
  png_set_read_fn(png, reader, PngRead);
  png_read_info(png, info);
  const png_uint_32 width = png_get_image_width(png, info);
  const png_uint_32 height = png_get_image_height(png, info);
  reader->refused = CheckPictureSize(name, width, height);
  if (!reader->refused.ok()) return false;
  png_set_expand(png);    // palettes and few bits become bytes
  png_set_strip_16(png);  // 16 bits become 8
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != size_t{width} * 3) png_error(png, "its pixels are no RGB");
  reader->picture.width = width;
  reader->picture.height = height;
  reader->picture.pixels.resize(size_t{width} * height * 3);
  for (int pass = 0; pass < passes; ++pass) {
    for (png_uint_32 y = 0; y < height; ++y)
      png_read_row(png, reader->picture.pixels.data() + size_t{width} * 3 * y, nullptr);
  }
  png_read_end(png, nullptr);
  return true;
}

// -- JPEG.

struct JpegErrors {
  jpeg_error_mgr base;
  Reader* reader;
};

void JpegFail(j_common_ptr jpeg) {
  Reader* reader = reinterpret_cast<JpegErrors*>(jpeg->err)->reader;
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  reader->error = text;
  std::longjmp(reader->jump, 1);
}

// A warning is damage: a part of the picture would be made up.
void JpegMessage(j_common_ptr jpeg, int level) {
  if (level < 0) JpegFail(jpeg);
}

bool ReadJpeg(jpeg_decompress_struct* jpeg, const std::string& name, Reader* reader) {
  if (setjmp(reader->jump) != 0) return false;
  jpeg_create_decompress(jpeg);
  jpeg->mem->max_memory_to_use = 1L << 30;
  jpeg_mem_src(jpeg, reinterpret_cast<const unsigned char*>(reader->bytes.data()),
               reader->bytes.size());
  jpeg_read_header(jpeg, TRUE);
  reader->refused = CheckPictureSize(name, jpeg->image_width, jpeg->image_height);
  if (!reader->refused.ok()) return false;
  if (jpeg->num_components == 4) {
    reader->error = "it has four colours (CMYK), not red, green and blue";
    return false;
  }
  jpeg->out_color_space = JCS_RGB;
  jpeg_start_decompress(jpeg);
  reader->picture.width = jpeg->output_width;
  reader->picture.height = jpeg->output_height;
  reader->picture.pixels.resize(size_t{jpeg->output_width} * jpeg->output_height * 3);
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row =
        reader->picture.pixels.data() + size_t{jpeg->output_width} * 3 * jpeg->output_scanline;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

}  // namespace

bool IsPng(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }
bool IsJpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

absl::Status PictureMalformed(const std::string& name, const std::string& what) {
  return MakeStatus(
      absl::StatusCode::kDataLoss, "picture-malformed",
      "`" + name + "` is no picture that can be read: " + what +
          "\n  expected: a PNG or JPEG file\n  help: open it in a viewer, and save it again");
}

absl::Status CheckPictureSize(const std::string& name, uint64_t width, uint64_t height) {
  if (width != 0 && height != 0 && width <= static_cast<uint64_t>(kMaxPixels) / height)
    return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted, "picture-size",
                    "`" + name + "` is too large\n  expected: 1 to 2^28 pixels\n  found: " +
                        std::to_string(width) + " x " + std::to_string(height));
}

absl::StatusOr<Picture> DecodePng(std::string_view bytes, const std::string& name) {
  Reader reader;
  reader.bytes = bytes;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, PngFail, PngWarn);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  const bool done = info != nullptr && ReadPng(png, info, name, &reader);
  png_destroy_read_struct(&png, &info, nullptr);
  if (done) return std::move(reader.picture);
  if (!reader.refused.ok()) return reader.refused;
  return PictureMalformed(name, reader.error.empty() ? "there is no memory" : reader.error);
}

absl::StatusOr<Picture> DecodeJpeg(std::string_view bytes, const std::string& name) {
  Reader reader;
  reader.bytes = bytes;
  jpeg_decompress_struct jpeg = {};
  JpegErrors errors = {};
  errors.reader = &reader;
  jpeg.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = JpegFail;
  errors.base.emit_message = JpegMessage;
  const bool done = ReadJpeg(&jpeg, name, &reader);
  jpeg_destroy_decompress(&jpeg);
  if (done) return std::move(reader.picture);
  if (!reader.refused.ok()) return reader.refused;
  return PictureMalformed(name, reader.error);
}

}  // namespace lathe::cli
