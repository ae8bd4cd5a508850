#include "tools/lathe/picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/float_formats.h"
#include "runtime/status.h"
#include "tools/lathe/picture_files.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;

// The weights of one new pixel: those of the old pixels `first`, `first + 1`, ...
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights;
};
// Weights are whole multiples of 2^-22, so that sums are exact and the same everywhere.
constexpr int kPrecision = 22;

// The windows of a line of `from` pixels that becomes one of `to`: a triangle as wide as two new
// pixels, or as two old ones if the line grows.
std::vector<Window> WindowsOf(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);
  std::vector<Window> windows;
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const auto last = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5), from);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t x = first; x < last; ++x) {
      const double distance = (static_cast<double>(x) - centre + 0.5) / support;
      weights.push_back(std::max(0.0, 1.0 - std::fabs(distance)));
      sum += weights.back();
    }
    Window window{first, {}};
    for (const double weight : weights) {
      window.weights.push_back(static_cast<int32_t>(std::lround(weight / sum * (1 << kPrecision))));
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

uint8_t Rounded(int64_t sum) {
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kPrecision, 0, 255));
}

Picture ResizeRows(const Picture& in, int64_t width) {
  Picture out{width, in.height, {}};
  out.pixels.resize(static_cast<size_t>(width * in.height * 3));
  const std::vector<Window> windows = WindowsOf(in.width, width);
  uint8_t* to = out.pixels.data();
  for (int64_t y = 0; y < in.height; ++y) {
    const uint8_t* row = in.pixels.data() + y * in.width * 3;
    for (const Window& window : windows) {
      int64_t sums[3] = {1 << (kPrecision - 1), 1 << (kPrecision - 1), 1 << (kPrecision - 1)};
      const uint8_t* from = row + window.first * 3;
      for (const int32_t weight : window.weights) {
        for (int64_t& sum : sums) sum += int64_t{weight} * *from++;
      }
      for (const int64_t sum : sums) *to++ = Rounded(sum);
    }
  }
  return out;
}

Picture ResizeColumns(const Picture& in, int64_t height) {
  Picture out{in.width, height, {}};
  const int64_t line = in.width * 3;
  out.pixels.resize(static_cast<size_t>(height * line));
  uint8_t* to = out.pixels.data();
  for (const Window& window : WindowsOf(in.height, height)) {
    for (int64_t x = 0; x < line; ++x) {
      int64_t sum = 1 << (kPrecision - 1);
      const uint8_t* from = in.pixels.data() + window.first * line + x;
      for (size_t k = 0; k < window.weights.size(); ++k)
        sum += int64_t{window.weights[k]} * from[static_cast<int64_t>(k) * line];
      *to++ = Rounded(sum);
    }
  }
  return out;
}

// The luma of ITU-R BT.601, in multiples of 2^-16.
uint8_t Grey(const uint8_t* pixel) {
  return static_cast<uint8_t>((pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >>
                              16);
}

}  // namespace

absl::StatusOr<Picture> DecodePicture(std::string_view bytes, const std::string& name) {
  if (IsPng(bytes)) return DecodePng(bytes, name);
  if (IsJpeg(bytes)) return DecodeJpeg(bytes, name);
  return PictureMalformed(name, "it begins as neither");
}

bool IsPicture(std::string_view bytes) { return IsPng(bytes) || IsJpeg(bytes); }

Picture Resize(const Picture& picture, int64_t height, int64_t width) {
  Picture out = width == picture.width ? picture : ResizeRows(picture, width);
  return height == picture.height ? out : ResizeColumns(out, height);
}

Picture ResizeShorterSide(const Picture& picture, int64_t side) {
  const bool wide = picture.width >= picture.height;
  const int64_t shorter = wide ? picture.height : picture.width;
  const int64_t longer = wide ? picture.width : picture.height;
  const int64_t other = std::max<int64_t>(1, (side * longer + shorter / 2) / shorter);
  return wide ? Resize(picture, side, other) : Resize(picture, other, side);
}

absl::StatusOr<Picture> CropCentre(const Picture& picture, int64_t height, int64_t width) {
  if (height > picture.height || width > picture.width) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "picture-crop",
                      "the picture is smaller than what --crop takes of it\n  expected: at least " +
                          std::to_string(height) + "x" + std::to_string(width) + "\n  found: " +
                          std::to_string(picture.height) + "x" + std::to_string(picture.width) +
                          " (height x width)\n  help: enlarge it first, with --resize");
  }
  const int64_t top = (picture.height - height) / 2, left = (picture.width - width) / 2;
  Picture out{width, height, {}};
  out.pixels.resize(static_cast<size_t>(width * height * 3));
  for (int64_t y = 0; y < height; ++y) {
    std::memcpy(out.pixels.data() + y * width * 3,
                picture.pixels.data() + ((top + y) * picture.width + left) * 3,
                static_cast<size_t>(width * 3));
  }
  return out;
}

absl::StatusOr<runtime::Tensor> TensorOf(const Picture& picture, DataType dtype,
                                         const PictureNumbers& numbers) {
  const auto fail = [&](const std::string& found) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "picture-type",
                      "a picture cannot become this input\n  expected: floats, or integers that "
                      "have the values\n  found: " +
                          found +
                          "\n  help: look at --divide, --mean and --std, or make a .npy file");
  };
  if (dtype.lanes() != 1 || !(dtype.is_float() || dtype.is_int() || dtype.is_uint()) ||
      dtype.bits() < 8) {
    return fail(dtype.ToString());
  }
  const int64_t channels = numbers.channels, pixels = picture.width * picture.height;
  const bool first = numbers.layout == PictureLayout::kChannelsFirst;
  const auto element = static_cast<size_t>(dtype.bytes());
  std::string bytes(static_cast<size_t>(channels * pixels) * element, '\0');
  const double most = std::ldexp(1.0, dtype.bits() - (dtype.is_int() ? 1 : 0)) - 1;
  for (int64_t c = 0; c < channels; ++c) {
    // One of 256 values.
    uint64_t table[256];
    for (int value = 0; value < 256; ++value) {
      const auto at = static_cast<size_t>(c);
      const double number = (value / numbers.divide - numbers.mean[at]) / numbers.deviation[at];
      if (dtype.is_float()) {
        table[value] = EncodeFloat(number, dtype);
        continue;
      }
      const double whole = std::nearbyint(number);
      if (!(whole >= (dtype.is_int() ? -most - 1 : 0) && whole <= most))
        return fail(std::to_string(number) + " for " + dtype.ToString());
      table[value] = static_cast<uint64_t>(static_cast<int64_t>(whole));
    }
    const int64_t source = numbers.bgr ? 2 - c : c;
    for (int64_t i = 0; i < pixels; ++i) {
      const uint8_t* pixel = picture.pixels.data() + i * 3;
      const uint64_t bits = table[channels == 1 ? Grey(pixel) : pixel[source]];
      const int64_t at = first ? c * pixels + i : i * channels + c;
      std::memcpy(bytes.data() + static_cast<size_t>(at) * element, &bits, element);
    }
  }
  const std::vector<int64_t> shape =
      first ? std::vector<int64_t>{1, channels, picture.height, picture.width}
            : std::vector<int64_t>{1, picture.height, picture.width, channels};
  return runtime::Tensor::FromHost(bytes.data(), bytes.size(), shape, dtype);
}

}  // namespace lathe::cli
