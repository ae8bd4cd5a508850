// Pictures as PNG files, for the examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::examples {

// Rows from the top, `channels` bytes per pixel: 1 (grey) or 3 (RGB).
struct Image {
  int64_t width = 0, height = 0;
  int channels = 3;
  std::vector<uint8_t> pixels;
};

// Reads any PNG and converts it to 8-bit RGB. Fails with `png-unreadable`; any bytes are safe.
absl::StatusOr<Image> ReadPng(const std::string& path);
absl::Status WritePng(const std::string& path, const Image& image);

}  // namespace lathe::examples
