#include "examples/png_image.h"

#include <png.h>

#include <cstring>

#include "runtime/status.h"

namespace lathe::examples {
namespace {

absl::Status Failure(const std::string& path, const char* what, const png_image& image) {
  return runtime::MakeStatus(
      absl::StatusCode::kInvalidArgument, "png-unreadable",
      std::string("cannot ") + what + " `" + path + "`\n  found: " + image.message +
          "\n  help: name a PNG file that can be read, in a folder that can be written to");
}

}  // namespace

absl::StatusOr<Image> ReadPng(const std::string& path) {
  png_image png;
  std::memset(&png, 0, sizeof(png));
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0) return Failure(path, "read", png);
  png.format = PNG_FORMAT_RGB;
  constexpr uint64_t kMostPixels = uint64_t{1} << 28;
  if (uint64_t{png.width} * png.height > kMostPixels) {
    png_image_free(&png);
    return runtime::MakeStatus(
        absl::StatusCode::kResourceExhausted, "png-unreadable",
        "`" + path + "` is larger than this example takes\n  expected: at most 2^28 pixels");
  }
  Image image;
  image.width = png.width;
  image.height = png.height;
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0)
    return Failure(path, "read", png);
  return image;
}

absl::Status WritePng(const std::string& path, const Image& image) {
  png_image png;
  std::memset(&png, 0, sizeof(png));
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0)
    return Failure(path, "write", png);
  return absl::OkStatus();
}

}  // namespace lathe::examples
