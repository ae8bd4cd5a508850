// Pictures as inputs of models: PNG and JPEG files -> pixels -> tensors.
//
// Decoding gives what Pillow gives, with which most models were trained or at least tried. So does
// resizing, up to 1 in a value where a result lies between two. All functions are thread-safe; the
// bytes may be arbitrary.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

// Rows from the top; each pixel is red, green, blue.
struct Picture {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels;
};

inline constexpr int64_t kMaxPixels = int64_t{1} << 28;

// Do the bytes begin as a PNG or JPEG file?
bool IsPicture(std::string_view bytes);
// Transparency is dropped, the orientation that a camera notes is not applied. Fails with
// `picture-malformed` (neither PNG nor JPEG, cut off, damaged), `picture-size` (more than
// kMaxPixels).
absl::StatusOr<Picture> DecodePicture(std::string_view bytes, const std::string& name);

// Linear interpolation; where the picture becomes smaller, over all pixels that a new one covers.
// The sizes must be positive.
Picture Resize(const Picture& picture, int64_t height, int64_t width);
// The shorter side becomes `side`, the proportions stay.
Picture ResizeShorterSide(const Picture& picture, int64_t side);
// The middle. Fails with `picture-crop` if the picture is smaller.
absl::StatusOr<Picture> CropCentre(const Picture& picture, int64_t height, int64_t width);

enum class PictureLayout : uint8_t { kChannelsFirst, kChannelsLast };  // NCHW, NHWC

struct PictureNumbers {
  PictureLayout layout = PictureLayout::kChannelsFirst;
  int channels = 3;  // 3, or 1: grey
  bool bgr = false;
  double divide = 255;  // (pixel / divide - mean) / deviation, for each channel
  std::array<double, 3> mean = {0, 0, 0};
  std::array<double, 3> deviation = {1, 1, 1};
};
// One picture as a tensor of four axes. Integers are rounded to nearest even. Fails with
// `picture-type` for element types other than floats and integers, and integers that cannot have
// a value.
absl::StatusOr<runtime::Tensor> TensorOf(const Picture& picture, DataType dtype,
                                         const PictureNumbers& numbers);

}  // namespace lathe::cli
