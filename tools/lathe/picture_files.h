// Readers of picture files, on libpng and libjpeg-turbo. Private to picture.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/lathe/picture.h"

namespace lathe::cli {

bool IsPng(std::string_view bytes);
bool IsJpeg(std::string_view bytes);
// Fail as DecodePicture does.
absl::StatusOr<Picture> DecodePng(std::string_view bytes, const std::string& name);
absl::StatusOr<Picture> DecodeJpeg(std::string_view bytes, const std::string& name);

absl::Status PictureMalformed(const std::string& name, const std::string& what);
// OK if a picture of this size may be read.
absl::Status CheckPictureSize(const std::string& name, uint64_t width, uint64_t height);

}  // namespace lathe::cli
