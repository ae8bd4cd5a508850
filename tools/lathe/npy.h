// NumPy's .npy files: reads versions 1, 2 and 3, writes version 1.
//
// Supports the element types that NumPy and Lathe share: bool, (u)int8/16/32/64, float16/32/64.
// Reading converts big-endian files and Fortran order. The bytes to read may be arbitrary: bad ones
// give an error.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

inline constexpr uint64_t kMaxNpyBytes = uint64_t{1} << 36;

// Decodes a file to a compact tensor in host memory. `name` is used in messages. Fails with
// `npy-malformed` (what is wrong and where), `npy-version`, `npy-dtype` (with the supported types).
absl::StatusOr<runtime::Tensor> DecodeNpy(std::string_view bytes, const std::string& name);
// Encodes a compact tensor in host memory as the bytes of a file. Fails with `npy-dtype`.
absl::StatusOr<std::string> EncodeNpy(const runtime::Tensor& tensor);

}  // namespace lathe::cli
