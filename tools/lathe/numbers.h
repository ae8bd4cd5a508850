// Tensors in host memory as numbers: made up for a test run, and shown to a person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"

namespace lathe::cli {

// "random" fills with floats in [-1, 1), integers in [0, 10) and bools, the same in every run;
// "zeros" with zeros. A compact tensor in host memory. Fails with what Tensor::Empty fails with,
// `run-no-fill` for element types without numbers.
absl::StatusOr<runtime::Tensor> MakeFilled(std::string_view how, const std::vector<int64_t>& shape,
                                           DataType dtype, uint64_t seed);

// "float32[2, 3]: 1 2 3 4 5 6; min 1, max 6, mean 3.5", long tensors shortened.
absl::StatusOr<std::string> Summary(const runtime::Tensor& tensor);

}  // namespace lathe::cli
