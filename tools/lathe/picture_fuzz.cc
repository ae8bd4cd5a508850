// Any bytes that a user passes as a picture give a picture or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/init.h"
#include "tools/lathe/picture.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool ready = (lathe::runtime::Initialize(), true);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto picture = lathe::cli::DecodePicture(bytes, "fuzz");
  if (!picture.ok()) return 0;
  if (picture->pixels.size() != static_cast<size_t>(picture->width * picture->height * 3))
    std::abort();
  const lathe::cli::Picture small = lathe::cli::ResizeShorterSide(*picture, 3);
  if (!lathe::cli::CropCentre(small, 3, 3).ok()) std::abort();
  return 0;
}
