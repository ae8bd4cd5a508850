// NumPy's .npy files, version 1, 2 and 3 read, version 1 written.
//
// The element types that NumPy and Lathe share: bool, (u)int8/16/32/64, float16/32/64. Big-endian
// files and Fortran order are converted while reading. Any bytes at all are fine to read.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

inline constexpr uint64_t kMaxNpyBytes = uint64_t{1} << 36;

// A compact tensor in host memory. `name` stands in messages. Fails with `npy-malformed` (what and
// where), `npy-version`, `npy-dtype` (the types there are).
absl::StatusOr<runtime::Tensor> DecodeNpy(std::string_view bytes, const std::string& name);
// A compact tensor in host memory as a file's bytes. Fails with `npy-dtype`.
absl::StatusOr<std::string> EncodeNpy(const runtime::Tensor& tensor);

}  // namespace lathe::cli
