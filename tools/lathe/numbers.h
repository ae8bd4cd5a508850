// Tensors as numbers: values made up for a test run, and summaries for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

// Makes a compact tensor in host memory. `how` is "random" (floats in [-1, 1), integers in [0, 10),
// bools; the same values in every run) or "zeros". Fails as Tensor::Empty does, and with
// `run-no-fill` for element types without numbers.
absl::StatusOr<runtime::Tensor> MakeFilled(std::string_view how, const std::vector<int64_t>& shape,
                                           DataType dtype, uint64_t seed);

// All elements of a tensor in host memory. Fails with `run-no-numbers` for element types without
// numbers.
absl::StatusOr<std::vector<double>> NumbersOf(const runtime::Tensor& tensor);

// A line such as "float32[2, 3]: 1 2 3 4 5 6; min 1, max 6, mean 3.5". Only the first elements of
// long tensors are shown.
absl::StatusOr<std::string> Summary(const runtime::Tensor& tensor);

}  // namespace lathe::cli
