// Parameter files: tensors with names, for the constants of a plan.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {

inline constexpr uint32_t kParamsVersion = 1;

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Versioned bytes with digests. The same tensors give the same bytes. Tensors may be on any device
// and have any layout. Fails with `params-duplicate` (two have one name), or as copies do.
absl::StatusOr<std::string> EncodeParams(std::span<const NamedTensor> tensors);
// Safe for any bytes. The tensors are copies in host memory, in the order of the file. Fails with
// `params-version`, `params-corrupt`, which names the damaged part.
absl::StatusOr<std::vector<NamedTensor>> DecodeParams(std::string_view bytes);

}  // namespace lathe::runtime::graph
